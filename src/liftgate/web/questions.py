"""What the page may ask, as typed bodies; an answer means the same as on the command line."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from liftgate.web import limits

Name = Annotated[str, Field(min_length=1, max_length=1000)]
Short = Annotated[str, Field(min_length=1, max_length=200)]
Number = Annotated[str, Field(min_length=1, max_length=100)]
Columns = Annotated[list[Name], Field(min_length=1, max_length=50)]
Text = Annotated[str, Field(max_length=limits.QUESTION)]


class Question(BaseModel):
    """The base of every body: nothing unknown is let through."""

    model_config = ConfigDict(extra="forbid")


class Table(Question):
    """A table and how to read it."""

    table: Annotated[
        Name, Field(description="example:NAME, upload:ID or folder:PATH", examples=["example:adult_counts.csv"])
    ]
    columns: Annotated[list[Name] | None, Field(max_length=2000, description="names where the file has no header")] = (
        None
    )
    delimiter: Annotated[str | None, Field(min_length=1, max_length=1)] = None
    encoding: Short | None = None
    trim: bool = False


class Joint(Table):
    """A table and the two sides to count."""

    sensitive: Annotated[Columns, Field(examples=[["relationship"]])]
    public: Annotated[Columns, Field(examples=[["occupation"]])]
    count: Annotated[Name | None, Field(examples=["people"])] = None
    missing: Literal["value", "drop", "refuse"] = "value"
    missing_tokens: Annotated[list[Short], Field(max_length=50)] = []
    zeros: Literal["report", "refuse"] = "report"


class Audit(Joint):
    """``liftgate audit``."""

    budget: Annotated[Short | None, Field(examples=["alip:1,1"])] = None
    sample: bool = False
    alpha: Number = "0.05"


class Search(Joint):
    """What every search takes."""

    gap: Annotated[float, Field(gt=0, lt=1)] = 1e-6
    seconds: Annotated[float, Field(ge=0, le=limits.SEARCH_SECONDS)] = 60


class Protect(Search):
    """``liftgate protect``; ``rows`` also draws and writes them."""

    budget: Annotated[Short, Field(examples=["alip:1,1"])]
    mechanism: Short = "auto"
    rows: Literal["parquet", "csv"] | None = None
    keep: Annotated[list[Name], Field(max_length=200)] = []
    render: Literal["label", "sample"] = "label"
    order: Literal["source", "sorted"] = "source"
    publisher: Short | None = None


class Tradeoff(Search):
    """``liftgate tradeoff``."""

    budgets: Annotated[list[Short], Field(min_length=1, max_length=32, examples=[["lip:0.5", "lip:1"]])]
    mechanisms: Annotated[list[Short], Field(min_length=1, max_length=8)] = ["optimal", "merge-best", "merge-all"]


class Announce(Table):
    """``liftgate announce``: a table of rules, or with ``decision`` one of decisions."""

    group: Columns = ["group"]
    private: Columns = ["private"]
    sensitive: Name | None = None
    people: Name = "people"
    rule: Columns = ["rule"]
    decision: Name | None = None
    positive: Name | None = None
    count: Name | None = None
    delta: Number | None = None
    alpha: Number | None = None
    beta: Number | None = None
    gamma: float | None = None
    digits: Annotated[int | None, Field(ge=1, le=12)] = None
    values: Annotated[list[Number] | None, Field(max_length=100)] = None
    distance: Literal["l1", "l2"] = "l1"
    fairness: bool = False
    publisher: Short | None = None


class Attack(Question):
    """``liftgate attack``: published figures and side information, both as JSON text."""

    published: Annotated[Text, Field(examples=['{"figures": []}'])]
    knows: Text | None = None
    seconds: Annotated[float, Field(ge=0, le=limits.SEARCH_SECONDS)] = 60


class Couple(Question):
    """``liftgate couple``: two laws as text, or with ``family`` a mechanism and all its neighbours."""

    left: Annotated[Text | None, Field(examples=['{"a": "1/2", "b": "1/2"}'])] = None
    right: Annotated[Text | None, Field(examples=['{"a": "1/3", "b": "2/3"}'])] = None
    family: Annotated[Short | None, Field(examples=["sparse-vector-5"])] = None
    relation: Annotated[str, Field(max_length=100_000)] = "equal"
    exp_eps: Number | None = None
    eps: Number | None = None
    delta: Number = "0"
    compose: Annotated[int, Field(ge=1, le=100_000)] = 1
    decimals_exact: bool = False
    sub: bool = False


class Check(Question):
    """``liftgate check`` of one certificate, uploaded or in the folder."""

    certificate: Annotated[Name, Field(examples=["example:certificate.json"])]
    allow: Annotated[list[Short] | None, Field(max_length=100)] = None


class Live(Question):
    """A budget held against a table that was counted before; decided at once."""

    joint: Annotated[str, Field(min_length=1, max_length=100)]
    budget: Annotated[Short | None, Field(examples=["alip:1,1"])] = None


class Fault(BaseModel):
    """What was wrong, as the command line tells it: the place, the value there and the fix."""

    place: str
    value: str
    fix: str


class Refusal(BaseModel):
    """Every answer that is not an answer."""

    error: Fault
    field: str | None = None


class File(BaseModel):
    """Something to save."""

    name: str
    title: str
    size: int
    private: bool


class Progress(BaseModel):
    """How a search stands, in words and drawn."""

    text: str
    markup: str | None = None


class State(BaseModel):
    """One job: how far it is, or its answer."""

    job: str
    kind: str
    state: Literal["waiting", "working", "done", "failed", "cancelled"]
    version: int
    seconds: float = 0.0
    limit: float = 0.0
    progress: Progress | None = None
    answer: dict[str, Any] | None = None
    files: list[File] = []
    error: Fault | None = None
    field: str | None = None


class Uploaded(BaseModel):
    """An upload that arrived whole."""

    table: str
    name: str
    size: int


class Words(BaseModel):
    """A budget in words, and its bounds on lift where it has some."""

    budget: str
    sentence: str
    low: str | None
    up: str | None


class Verdict(BaseModel):
    """What a budget says about a counted table; in markup every name is escaped."""

    verdict: str | None
    outside: int
    budget: Words | None
    command: str
    finding: str
    markup: str
