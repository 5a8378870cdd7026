"""Tables: audits beside the bare group-by, releases beside a plain copy, CSV beside the engine's own scan, passes beside one."""

from __future__ import annotations

from benchmarks.measuring import Record, fresh, growth, record, scratch

MAKE = """
import duckdb
con = duckdb.connect()
con.execute("SET preserve_insertion_order = false")
how = "FORMAT parquet, COMPRESSION zstd" if given["path"].endswith(".parquet") else "FORMAT csv"
con.execute(f'''COPY (SELECT i AS id, (hash(i) % 15)::UTINYINT AS illness,
'job ' || (hash(i + 100000000) % {given.get("jobs", 720)})::VARCHAR AS job,
(hash(i + 200000000) % 100)::UTINYINT AS age, (hash(i + 300000000) % 1000000)::INTEGER AS income,
hash(i + 400000000) % 2 = 0 AS member, DATE '2020-01-01' + (hash(i + 500000000) % 2000)::INTEGER AS since,
(hash(i + 600000000) % 100000) / 7.0 AS score, 'town ' || (hash(i + 700000000) % 300)::VARCHAR AS town
FROM range({given["rows"]}) r(i)) TO '{given["path"]}' ({how})''')
tell(None)
"""

COMMON = """
import os
import duckdb
import liftgate as lg
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
path, written, rows = given["path"], given["written"], given["rows"]
def engine():
    con = duckdb.connect()
    con.execute("SET threads = 1")
    return con
def least(works, times):
    found = dict.fromkeys(works, float("inf"))
    for _ in range(times):
        for name, work in works.items():
            start = time.process_time()
            work()
            found[name] = min(found[name], time.process_time() - start)
    return found
"""

AUDIT = (
    COMMON
    + """
def bare():
    return engine().sql(f"SELECT illness, job, count(*) FROM read_parquet('{path}') GROUP BY ALL").to_arrow_table()
def ours():
    return lg.audit(lg.read_joint(path, sensitive="illness", public="job"), lg.Budget.lip(1))
assert ours().joint.total == sum(bare().column(2).to_pylist()) == rows
found = least({"bare": bare, "ours": ours}, given["times"])
tell([found["ours"], found["bare"], bare().num_rows, peak()])
"""
)

PROTECT = (
    COMMON
    + """
keep = ["id", "age", "income", "member", "since", "score", "town"]
release = lg.protect(lg.read_joint(path, sensitive="illness", public="job"), given["budget"], mechanism="subset-response")
def copy():
    if os.path.exists(f"{written}.copy"):
        os.remove(f"{written}.copy")
    engine().execute(
        f"COPY (SELECT job, {', '.join(keep)} FROM read_parquet('{path}')) TO '{written}.copy' (FORMAT parquet, COMPRESSION zstd)"
    )
def ours():
    assert release.apply(path, written, keep=keep, force=True).number == rows
def keyed():
    assert release.apply(path, written, keep=keep, force=True, draw="keyed", key=bytes(32), id="id").number == rows
works = {"copy": copy, "ours": ours} | ({"keyed": keyed} if given["keyed"] else {})
found = least(works, given["times"])
tell([found["ours"], found["copy"], found.get("keyed"), float(release.changed), peak()])
"""
)

CSV = (
    COMMON
    + """
def scan():
    kinds = "header=true, all_varchar=true"
    return engine().sql(f"SELECT illness, job, count(*) FROM read_csv('{path}', {kinds}) GROUP BY ALL").to_arrow_table()
def ours():
    return lg.read_joint(path, sensitive="illness", public="job")
assert ours().total == sum(scan().column(2).to_pylist()) == rows
found = least({"scan": scan, "ours": ours}, given["times"])
tell([found["ours"], found["scan"], peak()])
"""
)

PASSES = (
    COMMON
    + """
joint = lg.read_joint(path, sensitive="illness", public="job", memory=given["memory"])
limited = peak()
def ours(memory):
    return lambda: lg.read_joint(path, sensitive="illness", public="job", memory=memory)
found = least({"limited": ours(given["memory"]), "free": ours(None)}, given["times"])
assert joint.total == rows and any("passes" in note for note in joint.source.notes)
tell([found["limited"], found["free"], int((joint.counts > 0).sum()), limited])
"""
)


def run(quick: bool) -> list[Record]:
    """Counting, releasing, reading CSV and counting in passes."""
    out: list[Record] = []
    with scratch() as folder:
        written = f"{folder}/released.parquet"
        sizes = [10**4, 10**5, 10**6] if quick else [10**4, 10**5, 10**6, 10**7, 10**8]
        seconds = []
        for rows in sizes:
            path = f"{folder}/{rows}.parquet"
            fresh(MAKE, {"rows": rows, "path": path})
            given = {"path": path, "written": written, "rows": rows, "times": 5 if rows < 10**7 else 2}
            last = rows == sizes[-1]
            loose = "lip:0.02" if rows >= 10**6 else "lip:1"
            ours, copy, keyed, changed, megabytes = fresh(
                PROTECT, {**given, "budget": loose, "keyed": rows == sizes[-2]}
            )
            seconds.append(ours)
            if keyed is not None:
                told = f"release, keyed draws, {rows:.0e} rows x 8 columns"
                out.append(record(told, "time", keyed / copy, "a plain copy of the same columns"))
            if last:
                told = f"release, {rows:.0e} rows x 8 columns, {100 * changed:.2g} % of them changed"
                out.append(
                    record(told, "time", ours / copy, "a plain copy of the same columns", limit=None if quick else 2)
                )
                out.append(record(told, "peak memory", megabytes, "1,000 MB allowed", unit="MB", limit=1000))
                audit, bare, cells, megabytes = fresh(AUDIT, given)
                told = f"audit, {rows:.0e} rows, {cells:,} cells"
                limit = None if quick else 1.5
                out.append(record(told, "time", audit / bare, "the bare DuckDB group-by", limit=limit))
                out.append(record(told, "peak memory", megabytes, "1,000 MB allowed", unit="MB", limit=1000))
        out += growth("release", "time", "rows", sizes, seconds, limit=1.1)
        rows = 10**6 if quick else 10**7
        path = f"{folder}/{rows}.csv"
        fresh(MAKE, {"rows": rows, "path": path})
        ours, scan, megabytes = fresh(CSV, {"path": path, "written": written, "rows": rows, "times": 3})
        told, limit = f"joint of a CSV file, {rows:.0e} rows", None if quick else 1.3
        out.append(record(told, "time", ours / scan, "DuckDB's own scan and group-by", limit=limit))
        out.append(record(told, "peak memory", megabytes, "1,000 MB allowed", unit="MB", limit=1000))
        jobs, memory = (40_000, "100MB") if quick else (162_000, "300MB")
        path = f"{folder}/many.parquet"
        fresh(MAKE, {"rows": rows, "path": path, "jobs": jobs})
        given = {"path": path, "written": written, "rows": rows, "times": 1, "memory": memory}
        limited, free, cells, megabytes = fresh(PASSES, given)
        told = f"joint of {cells:,} cells with {memory} for the engine"
        out.append(record(told, "time", limited / free, "the same without a limit"))
        out.append(record(told, "peak memory of the process", megabytes, "1,000 MB allowed", unit="MB", limit=1000))
    return out
