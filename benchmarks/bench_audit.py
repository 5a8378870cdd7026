"""Audits: the cost of a whole audit beside the bare group-by, its growth with rows and columns, and against pycanon."""

from __future__ import annotations

from benchmarks.measuring import Record, fresh, growth, peer, record, scratch

MAKE = """
import duckdb
con = duckdb.connect()
con.execute(f'''COPY (SELECT (hash(i) % 15)::INTEGER AS s, (hash(i + 100000000) % 60)::INTEGER AS a,
(['x', 'y', 'z', 'w'])[1 + (hash(i + 200000000) % 4)::INTEGER] AS e FROM range({given["rows"]}) r(i))
TO '{given["path"]}' (FORMAT parquet)''')
tell(None)
"""

AUDIT = """
import os
import duckdb
import liftgate as lg
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:given["threads"]])
def bare():
    con = duckdb.connect()
    con.execute(f"SET threads = {given['threads']}")
    return con.sql(f"SELECT s, a, e, count(*) FROM read_parquet('{given['path']}') GROUP BY ALL").to_arrow_table()
def ours():
    joint = lg.read_joint(given["path"], sensitive="s", public=["a", "e"])
    return lg.audit(joint, budget=lg.Budget.lip(1))
assert ours().joint.total == sum(bare().column(3).to_pylist())
least = {"bare": float("inf"), "ours": float("inf")}
for _ in range(given["times"]):
    for name, work in (("bare", bare), ("ours", ours)):
        start = time.process_time()
        work()
        least[name] = min(least[name], time.process_time() - start)
tell([least["ours"], least["bare"], peak()])
"""

PYCANON = """
import warnings
warnings.simplefilter("ignore")
import numpy as np, pandas as pd
from pycanon import anonymity
import liftgate as lg
from liftgate.measures import MEASURES
rng = np.random.default_rng(0)
rows, classes = given
frame = pd.DataFrame({"x": rng.integers(0, classes, rows).astype(str), "s": rng.integers(0, 15, rows).astype(str)})
names = ("k", "distinct-l", "beta-likeness", "t-closeness")
def ours():
    joint = lg.read_joint(frame, sensitive="s", public="x")
    return [MEASURES[name].of(joint) for name in names]
def theirs():
    return [f(frame, ["x"], *rest) for f, *rest in (
        (anonymity.k_anonymity,), (anonymity.l_diversity, ["s"]), (anonymity.basic_beta_likeness, ["s"]),
        (anonymity.t_closeness, ["s"]))]
def cpu(work):
    start = time.process_time()
    found = work()
    return found, time.process_time() - start
(mine, _), (peers, slow) = cpu(ours), cpu(theirs)
assert np.allclose(mine, peers, atol=1e-9), (mine, peers)
tell([min(cpu(ours)[1] for _ in range(5)), slow])
"""

HELP = """
import subprocess
def cpu(*words):
    import resource
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
help_of = "from liftgate.cli import main; main(['--help'])"
cpu("-c", help_of)
tell([min(cpu("-c", help_of) for _ in range(7)), min(cpu("-c", "pass") for _ in range(7))])
"""


def run(quick: bool) -> list[Record]:
    """Ratios to the bare group-by, to pycanon, and growth over rows."""
    out: list[Record] = []
    with scratch() as folder:
        sizes = [10**4, 10**5, 10**6] if quick else [10**4, 10**5, 10**6, 10**7]
        seconds = []
        for rows in sizes:
            path = f"{folder}/{rows}.parquet"
            fresh(MAKE, {"rows": rows, "path": path})
            for threads in (1, 2) if rows == sizes[-1] else (1,):
                ours, bare, megabytes = fresh(
                    AUDIT, {"path": path, "threads": threads, "times": 7 if rows < 10**7 else 5}
                )
                if threads == 1:
                    seconds.append(ours)
                if rows == sizes[-1]:
                    name = f"audit, {rows:.0e} rows, 3,600 cells, {threads} thread{'s' * (threads > 1)}"
                    limit = None if quick else 1.5
                    out.append(record(name, "time", ours / bare, "the bare DuckDB group-by", limit=limit))
                    out.append(record(name, "peak memory", megabytes, "600 MB allowed", unit="MB", limit=600))
        out += growth("audit", "time", "rows", sizes, seconds, limit=1.1)
    rows = 20_000 if quick else 100_000
    for classes in (50, rows // 20):
        found = peer("pycanon", PYCANON, [rows, classes])
        if found is not None:
            name = f"k, l, beta and t of {rows:,} rows in {classes:,} classes"
            least = (
                100 if classes == rows // 20 and not quick else None
            )  # with 50 classes reading the frame is all there is
            out.append(record(name, "times as fast", found[1] / found[0], "pycanon on the same frame", least=least))
    helped, bare = fresh(HELP)
    out.append(
        record("liftgate --help", "time beyond bare Python", helped - bare, "0.25 allowed", unit="CPU s", limit=0.25)
    )
    return out
