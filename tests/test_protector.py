"""LiftProtector: the same release as ``lg.protect``, in the manners of scikit-learn."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import check_estimator

import liftgate as lg
from liftgate import LiftProtector
from liftgate.errors import DataError, UsageError

KEY = b"0123456789abcdef"
UNSEEN = {"check_fit_idempotent"}  # it transforms values that fit has not seen, and those are refused
AS_NUMBERS = {  # they subtract outputs, and names of merged values are text
    "check_estimators_pickle", "check_pipeline_consistency", "check_transformer_data_not_an_array",
    "check_transformer_general", "check_methods_sample_order_invariance", "check_methods_subset_invariance",
}  # fmt: skip


@pytest.mark.parametrize(
    ("budget", "mechanism", "not_applicable"),
    [("between:0,1000000", "merge-subsets", UNSEEN), ("alip:1,1", "merge-subsets", UNSEEN | AS_NUMBERS)],
)
def test_the_applicable_checks_of_scikit_learn_pass(budget: str, mechanism: str, not_applicable: set[str]) -> None:
    """Where values keep their names all of check_estimator but one; where they are merged, all that do not subtract."""
    found = check_estimator(LiftProtector(budget=budget, mechanism=mechanism), on_fail=None, on_skip=None)
    wrong = {r["check_name"]: str(r["exception"]) for r in found if r["status"] == "failed"}
    assert set(wrong) == not_applicable, wrong
    assert sum(r["status"] == "passed" for r in found) >= 36
    assert not LiftProtector(mechanism="merge-best").__sklearn_tags__().non_deterministic
    assert LiftProtector().__sklearn_tags__().non_deterministic


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Rows with an id, a sensitive column, two public ones and a number to keep."""
    rng = np.random.default_rng(1)
    job = rng.integers(0, 4, 2000)
    ill = rng.random(2000) < np.array([0.1, 0.3, 0.5, 0.9])[job]
    return pd.DataFrame(
        {"id": range(2000), "ill": np.where(ill, "yes", "no"), "job": np.array(["cook", "nurse", "smith", "diver"])[job],
         "north": rng.random(2000) < 0.5, "pay": rng.integers(1, 99, 2000)}
    )  # fmt: skip


def test_it_designs_what_protect_designs(frame: pd.DataFrame) -> None:
    """The release it learns is that of lg.protect on the same columns, certificate included."""
    learnt = LiftProtector(sensitive="ill", public="job", budget="lip:0.5", gap=1e-3).fit(frame).release_
    expected = lg.protect(lg.read_joint(frame, "ill", "job"), "lip:0.5", gap=1e-3)
    assert learnt.channel.to_dict() == expected.channel.to_dict()
    assert learnt.before.source.public == ("job",)
    assert lg.check(learnt.certificate).holds


def test_y_is_the_sensitive_side_where_no_column_is_named(frame: pd.DataFrame) -> None:
    """A pipeline passes y; without either there is an error."""
    learnt = LiftProtector(public=["job"], budget="lip:0.5").fit(frame[["job", "pay"]], frame["ill"])
    assert learnt.release_.before.sensitive == ("no", "yes")
    with pytest.raises(ValueError, match="requires y to be passed"):
        LiftProtector().fit(frame[["job"]])


@pytest.mark.parametrize("kind", ["default", "pandas", "polars"])
@pytest.mark.parametrize("source", ["pandas", "polars", "numpy"])
def test_frames_in_and_out(frame: pd.DataFrame, kind: str, source: str) -> None:
    """Names and kept columns survive every kind of frame; arrays go by position."""
    rows: Any = {"pandas": frame, "polars": pl.from_pandas(frame), "numpy": frame.to_numpy(dtype=object)}[source]
    named = (1, 2, 4) if source == "numpy" else ("ill", "job", "pay")
    protector = LiftProtector(named[0], named[1], "lip:0.3", "merge-best", keep=[named[2]]).set_output(transform=kind)
    out = protector.fit(rows).transform(rows)
    names = ["x2", "x4"] if source == "numpy" else ["job", "pay"]
    assert protector.get_feature_names_out().tolist() == names
    if kind == "default":
        assert isinstance(out, np.ndarray)
        released, pay = out[:, 0].tolist(), out[:, 1].tolist()
    else:
        assert isinstance(out, pd.DataFrame if kind == "pandas" else pl.DataFrame)
        assert list(out.columns) == names
        released, pay = out[names[0]].to_list(), out[names[1]].to_list()
    assert pay == frame["pay"].tolist()
    block = {x: y[0][0] for x, y in protector.release_.channel.rows()}
    assert released == [block[v] for v in frame["job"]]


def test_rows_of_a_pandas_frame_keep_their_index(frame: pd.DataFrame) -> None:
    """So that released rows can be joined to what else is known about them."""
    protector = LiftProtector("ill", "job", "lip:0.3", "merge-best", keep=["pay"]).set_output(transform="pandas")
    some = frame.iloc[::-3]
    out = protector.fit(frame).transform(some)
    assert out.index.tolist() == some.index.tolist() != list(range(len(some)))
    assert out["pay"].equals(some["pay"])


def test_several_columns_stay_apart_or_become_one(frame: pd.DataFrame) -> None:
    """Without public= every column is public that is neither sensitive nor kept nor the id."""
    wide = LiftProtector("ill", budget="alip:30,30", mechanism="merge-best", keep="pay", draw="keyed", key=KEY, id="id")
    out = wide.set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == ["job", "north", "pay"]
    assert out["north"].dtype == bool
    assert out.equals(frame[["job", "north", "pay"]])
    tight = LiftProtector("ill", ["job", "north"], "lip:0.1", "merge-best").fit(frame)
    assert tight.get_feature_names_out().tolist() == ["job / north"]
    assert tight.transform(frame).shape == (2000, 1)


def test_new_rows_are_drawn_and_new_values_refused(frame: pd.DataFrame) -> None:
    """A fitted protector serves later rows; values it has not seen are named."""
    learnt = LiftProtector("ill", "job", "lip:0.5").fit(frame)
    later = frame.iloc[::-1].head(50)
    assert learnt.transform(later).shape == (50, 1)
    with pytest.raises(DataError, match="1 values were not seen by fit: 'pilot'"):
        learnt.transform(frame.head(3).assign(job=["cook", "pilot", "cook"]))
    with pytest.raises(ValueError, match="feature names"):
        learnt.transform(frame[["job"]])


def test_draws_are_fresh_or_repeat_by_key(frame: pd.DataFrame) -> None:
    """Fresh draws differ; keyed ones follow the id wherever the row stands; repeated ids are refused."""
    fresh = LiftProtector("ill", "job", "lip:0.3", "optimal", gap=1e-3).fit(frame)
    assert not fresh.release_.channel.is_merge
    assert (fresh.transform(frame) != fresh.transform(frame)).any()
    keyed = LiftProtector("ill", "job", "lip:0.3", "optimal", 1e-3, draw="keyed", key=KEY, id="id").fit(frame)
    one = keyed.transform(frame)
    order = np.random.default_rng(0).permutation(2000)
    assert (keyed.transform(frame.iloc[order]) == one[order]).all()
    with pytest.raises(DataError, match="'0' occurs twice"):
        keyed.transform(frame.assign(id=0))
    with pytest.raises(UsageError, match="keyed draws need a key"):
        LiftProtector("ill", "job", draw="keyed", id="id").fit(frame).transform(frame)


def test_it_is_cloned_pickled_and_used_in_pipelines(frame: pd.DataFrame) -> None:
    """Parameters survive clone, a fitted one survives pickle, and the names reach the next step."""
    protector = LiftProtector("ill", "job", lg.Budget.lip(1), "merge-best", keep=("pay",))
    assert clone(protector).get_params() == protector.get_params()
    fitted = protector.fit(frame)
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.transform(frame) == fitted.transform(frame)).all()
    assert again.release_.certificate.hash == fitted.release_.certificate.hash
    steps: Pipeline = make_pipeline(LiftProtector("ill", "job", "lip:0.1", "merge-best"), OneHotEncoder())
    blocks = {y[0][0] for _, y in fitted.release_.channel.rows()}
    assert steps.fit_transform(frame).shape == (2000, len(steps[0].release_.channel.released))
    assert all(name.startswith("job_") for name in steps.get_feature_names_out())
    columns = ColumnTransformer([("safeguard", LiftProtector("ill", "job", "lip:1", "merge-best"), ["ill", "job"])])
    assert set(columns.fit_transform(frame)[:, 0]) <= blocks
    assert columns.get_feature_names_out().tolist() == ["safeguard__job"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"sensitive": "sick"}, "sensitive 'sick': no such column"),
        ({"sensitive": "ill", "public": 9}, "public 9: no such column"),
        ({"sensitive": "ill", "public": ["ill", "job"]}, "column 'ill': it is sensitive and public"),
        ({"sensitive": "ill", "public": "job", "keep": "ill"}, "column 'ill': it is sensitive and kept"),
        ({"sensitive": "ill", "public": "job", "keep": "job"}, "column 'job': it is public and kept as it is"),
        ({"sensitive": "ill", "public": "job", "mechanism": "best"}, "'best' is not known"),
        ({"sensitive": "ill", "public": "job", "budget": "lip:-1"}, "-1 is below 0"),
        ({"sensitive": "ill", "keep": ["id", "job", "north", "pay"]}, "no column is left to release"),
    ],
)
def test_what_makes_no_sense_is_refused(frame: pd.DataFrame, options: dict[str, Any], told: str) -> None:
    """The error names the parameter and the column."""
    with pytest.raises(lg.LiftgateError, match=told):
        LiftProtector(**options).fit(frame)
