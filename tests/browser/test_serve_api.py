"""The API of the local page against its own description: thousands of calls that fit it or nearly do, and no fault."""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable

pytestmark = pytest.mark.browser

CALLS = 2_000
ALIKE = settings(
    max_examples=30, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


def test_no_call_is_a_fault(served: Any) -> None:
    """2,000 calls made from the OpenAPI description by schemathesis, fitting and not fitting: 0 answers of 5xx."""
    import schemathesis
    from schemathesis import GenerationMode

    schema = schemathesis.openapi.from_url(f"{served.address}openapi.json")
    asked = [found.ok() for found in schema.get_all_operations()]
    assert len(asked) > 15
    seen: Counter[int] = Counter()

    def call(case: Any) -> None:
        answer = case.call(base_url=served.address.rstrip("/"))
        seen[answer.status_code] += 1
        assert answer.status_code < 500, f"{case.method} {case.path}: {answer.status_code} {answer.text[:300]}"
        if answer.status_code == 202 and case.method.upper() == "POST":
            httpx.delete(f"{served.address}api/jobs/{answer.json()['job']}", trust_env=False)

    for number in range(20):
        for operation in asked:
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                asking = seed(number)(ALIKE(given(operation.as_strategy(generation_mode=mode))(call)))
                # a question without fields cannot be asked wrongly
                with (
                    contextlib.suppress(Unsatisfiable) if mode is GenerationMode.NEGATIVE else contextlib.nullcontext()
                ):
                    asking()
        if sum(seen.values()) >= CALLS:
            break
    assert sum(seen.values()) >= CALLS, seen
    assert {200, 202, 404, 422} <= set(seen), seen
