"""Call every operation of the OpenAPI description with generated input. Used by the tests and, longer, by `make verify`."""

from __future__ import annotations

import json
import warnings
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from tests.server.running import Person, Server

ENDLESS = {"/api/games/{game_id}/stream", "/api/stream/events"}


def profile(examples: int) -> settings:
    """Generated input without time limits or shrinking."""
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def fuzz(server: Server, person: Person, game: str, examples: int) -> set[tuple[str, int]]:
    """Call every operation. Return all pairs (operation, status); a 5xx fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import schemathesis  # importing takes a second, which test collection should not pay
        from schemathesis.core.result import Ok

    schema = schemathesis.openapi.from_dict(person.get("/api/openapi.json").json())
    seen: set[tuple[str, int]] = set()
    source = {"name": "One", "source": {"text": '[Game "nova"]\n\n1. @e7 *\n'}}
    study = person.post("/api/studies", {"name": "Fuzzed", "chapters": [source]}).json()["id"]
    known = {"game_id": game, "study_id": study, "chapter_id": "1"}
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        operation: Any = result.ok()
        name = f"{operation.method} {operation.path}"
        if operation.path not in ENDLESS and name != "delete /api/me":
            is_last = name == "delete /api/studies/{study_id}"
            _fuzz_one(operation, name, server, person, {} if is_last else known, examples, seen)
    return seen


def _fuzz_one(
    operation: Any,
    name: str,
    server: Server,
    person: Person,
    known: dict[str, str],
    examples: int,
    seen: set[tuple[str, int]],
) -> None:
    calls = 0

    @profile(examples)
    @given(case=operation.as_strategy())
    def call(case: Any) -> None:
        nonlocal calls
        calls += 1
        if calls % 2:
            for part in case.path_parameters or {}:
                case.path_parameters[part] = known.get(part, case.path_parameters[part])
        if isinstance(case.body, dict) and "seconds" in case.body:
            case.body["seconds"] = 0.1
        response = case.call(
            base_url=server.url,
            headers={"Origin": server.url},
            cookies=dict(person.http.cookies),
            timeout=30,
        )
        seen.add((name, response.status_code))
        assert response.status_code < 500, (name, case.body, response.text)
        if response.status_code >= 400:
            assert set(json.loads(response.text)) >= {"code", "message", "rule"}, (
                name,
                response.text,
            )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call()
