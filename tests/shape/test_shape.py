"""The shape of the code base: sizes, imports, names, and docs that keep up with the lists."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SOURCE = ROOT / "src" / "liftgate"
MODULES = sorted(SOURCE.rglob("*.py"))
MOST_LINES = 400
MOST_LINES_CHECKER = 900


def test_there_are_modules() -> None:
    """The lists below are not empty."""
    assert len(MODULES) > 40


@pytest.mark.parametrize("module", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_modules_stay_small_and_say_what_they_are(module: Path) -> None:
    """A module is one idea: at most 400 lines (the checker 900), and its docstring says which."""
    text = module.read_text()
    limit = MOST_LINES_CHECKER if module.name == "checker.py" else MOST_LINES
    assert len(text.splitlines()) <= limit
    if text.strip():
        assert ast.get_docstring(ast.parse(text)), "a module docstring of one sentence"


def test_the_checker_imports_only_the_standard_library() -> None:
    """The one trusted file stands alone."""
    tree = ast.parse((SOURCE / "checker.py").read_text())
    names = {a.name.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    names |= {str(n.module).split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert names <= set(sys.stdlib_module_names) | {"__future__"}


def test_no_module_shares_its_name_with_a_public_function() -> None:
    """``liftgate.measure`` is a function, so no module may be called measure; the same inside each package."""
    import liftgate

    tops = {p.stem for p in SOURCE.glob("*.py")} | {p.name for p in SOURCE.iterdir() if p.is_dir()}
    allowed_packages = {"couplings", "transparency"}
    assert not (set(liftgate.__all__) - allowed_packages) & tops
    for package in ("couplings", "transparency", "measures", "tables", "certificates", "mechanisms"):
        module = __import__(f"liftgate.{package}", fromlist=["__all__"])
        stems = {p.stem for p in (SOURCE / package).glob("*.py")}
        callables = {n for n in getattr(module, "__all__", ()) if callable(getattr(module, n))}
        assert not callables & stems, package


def test_every_public_name_is_there() -> None:
    """Every name of ``liftgate.__all__`` can be had."""
    import liftgate

    for name in liftgate.__all__:
        assert getattr(liftgate, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = liftgate.nonsense


def _modules_after(code: str) -> set[str]:
    script = f"import sys, json\n{code}\nprint(); print(json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.strip().splitlines()[-1]))


HEAVY = {"duckdb", "scipy", "numba", "sklearn", "pyarrow", "pandas", "polars", "highspy", "jinja2", "rich", "numpy"}


@pytest.mark.parametrize(
    "code",
    [
        "import liftgate",
        "from liftgate.cli import main; main(['--help'])",
        "from liftgate.cli import main; main(['check', '--help'])",
        "from liftgate.cli import main; main(['audit', '--help'])",
    ],
)
def test_help_is_light(code: str) -> None:
    """Help and import load no heavy library."""
    assert not _modules_after(code) & HEAVY


def test_checking_a_certificate_is_light() -> None:
    """``lg.check`` needs no library at all."""
    assert not _modules_after("import liftgate as lg; assert not lg.check({}).holds") & HEAVY


def test_every_command_and_measure_is_in_the_docs() -> None:
    """Docs keep up with the lists."""
    from liftgate.cli import COMMANDS
    from liftgate.measures import MEASURES

    pages = "\n".join(p.read_text() for p in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))])
    for command in COMMANDS:
        assert f"liftgate {command}" in pages, command
    table = (ROOT / "docs" / "measures.md").read_text()
    for name in MEASURES:
        assert f"`{name}`" in table, name


def test_generated_pages_are_up_to_date() -> None:
    """``make docs`` would change nothing."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "write_docs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_links_between_pages_lead_somewhere() -> None:
    """Every relative link of a page names a file that exists."""
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


FORBIDDEN = re.compile(
    r"\b(anonymous|anonymi[sz]ed?|de-anonymi\w+|(is|are|be|totally|proven|provably) safe|guarantee\w*|verified|trustworthy)\b",
    re.IGNORECASE,
)


def test_pages_and_commands_keep_to_the_language_guide() -> None:
    """No sentence that a user reads calls a release safe, anonymous or guaranteed."""
    folders = [SOURCE / name for name in ("cli", "report", "jobs", "web")] + [ROOT / "docs"]
    pages = [p for folder in folders for p in sorted(folder.rglob("*")) if p.suffix in (".py", ".html", ".js", ".md")]
    assert len(pages) > 100
    for path in [ROOT / "README.md", *pages]:
        found = FORBIDDEN.search(path.read_text())
        assert not found, f"{path}: {found and found.group()}"


def test_nothing_names_a_machine_path() -> None:
    """No file that is shipped knows where it was written."""
    import shutil

    if shutil.which("git") is None or not (ROOT / ".git").exists():
        files = [p for p in SOURCE.rglob("*") if p.is_file() and p.suffix in (".py", ".md", ".html")]
    else:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        kinds = (".py", ".md", ".toml", ".sh", ".html", ".js", ".css", ".json", ".txt", "Makefile")
        files = [ROOT / n for n in listed.decode().split("\0") if n.endswith(kinds)]
    pattern = re.compile(r"(?<![\w.])/(home|root|work|tmp)/\w")
    for path in files:
        if path.exists():
            assert not pattern.search(path.read_text(errors="replace")), path
