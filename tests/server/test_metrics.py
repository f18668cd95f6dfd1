"""Monitoring: metrics of all workers, health checks, and traces."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest
import yaml
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from terrarium.play.clocks import wall_clock
from terrarium.play.errors import Unavailable
from terrarium.server.app import Application
from terrarium.server.operation.tracing import Tracing
from terrarium.server.settings import InvalidSettings, Settings
from tests.server import running
from tests.server.postgres import Postgres
from tests.server.running import InProcess, Server, comes
from tests.server.test_admin import DEVICES

DEPLOY = Path(__file__).parents[2] / "deploy"
SAMPLE = re.compile(r"(terrarium_\w+)(?:\{(.*)\})? (\S+)")


def samples(text: str) -> list[tuple[str, dict[str, str], float]]:
    """The samples of a scrape: name, labels, value."""
    found = []
    for line in text.splitlines():
        if not line.startswith("#"):
            match = SAMPLE.fullmatch(line)
            assert match, line
            labels = dict(re.findall(r'(\w+)="([^"]*)"', match[2] or ""))
            found.append((match[1], labels, float(match[3])))
    return found


def test_dashboard_and_alerts_use_only_metrics_that_exist(tmp_path: Path) -> None:
    with InProcess(tmp_path, wall_clock) as server, server.person() as person:
        person.create(seats=DEVICES)
        known = {name for name, _, _ in samples(person.get("/metrics").text)}
    dashboard = json.loads((DEPLOY / "grafana.json").read_text())
    rules = yaml.safe_load((DEPLOY / "prometheus-alerts.yaml").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    named = {name for expression in asked for name in re.findall(r"terrarium_\w+", expression)}
    assert len(named) > 8
    assert named - known == set()
    assert known - named - {"terrarium_request_seconds_sum", "terrarium_request_seconds_count"} == (
        set()
    ), "the dashboard must show every metric"
    scraped = yaml.safe_load((DEPLOY / "prometheus.yaml").read_text())
    assert [(DEPLOY / name).is_file() for name in scraped["rule_files"]] == [True]


@pytest.mark.slow
def test_one_scrape_shows_every_worker(tmp_path: Path, postgres: Postgres) -> None:
    with Server(tmp_path, DATABASE=postgres.database(), WORKERS="2") as server:
        made = 20
        for _ in range(made):
            with server.person() as person:
                assert person.get("/api/meta").status_code == 200
        found: list[tuple[str, dict[str, str], float]] = []
        with server.person() as person:

            def has_both() -> bool:
                found[:] = samples(person.get("/metrics").text)
                # While only one worker answers, its samples have no worker number.
                return {labels.get("worker") for _, labels, _ in found} == {"1", "2"}

            assert comes(has_both)
        assert sum(value for name, _, value in found if name == "terrarium_workers") == 2
        asked = [value for name, _, value in found if name == "terrarium_requests_total"]
        assert sum(asked) >= made
        assert all(labels["worker"] for _, labels, _ in found)


def test_a_server_that_is_alive_may_not_be_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with InProcess(tmp_path, wall_clock) as server, server.person() as person:

        def states() -> list[tuple[int, str]]:
            answers = [person.get(f"/health/{name}") for name in ("live", "ready")]
            return [(answer.status_code, answer.json()["status"]) for answer in answers]

        assert states() == [(200, "alive"), (200, "ready")]
        services = server.application.services

        async def fail() -> None:
            raise Unavailable("database-unavailable", "gone")

        with monkeypatch.context() as patch:
            patch.setattr(services.store, "check", fail)
            assert states() == [(200, "alive"), (503, "database-unavailable")]
        assert states()[1][0] == 200
        server.run(services.end_streams)  # as a signal to stop does
        assert comes(lambda: states()[1][0] == 503)
        assert states() == [(200, "alive"), (503, "stopping")]
        assert person.get("/api/health").json()["status"] == "ok"


def test_traces_show_requests_and_the_database_but_nothing_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    traced = partial(Application, tracing=Tracing(provider))
    monkeypatch.setattr(running, "Application", traced)
    with InProcess(tmp_path, wall_clock) as server, server.person() as person:
        game = person.create(seats=[{"kind": "device", "name": "Canary"}, {"kind": "device"}])
        person.get(f"/api/games/{game['id']}", secret="hidden")
        person.post(f"/api/games/{game['id']}/turns", {"seq": 99, "actions": ["Canary"]})
        spans = list(kept.get_finished_spans())
    named = {span.name: span for span in spans}
    made = named["POST /api/games"]
    assert made.attributes is not None
    assert made.attributes["http.response.status_code"] == 201
    assert made.context is not None
    inside = [one for one in spans if one.parent and one.parent.span_id == made.context.span_id]
    assert "database write" in {one.name for one in inside}
    assert {"GET /api/games/{id}", "POST /api/games/{id}/turns"} <= set(named)
    told = "".join(span.to_json() for span in spans)
    for private in (game["id"], "Canary", "hidden", *game["secrets"]):
        assert private not in told


def test_traces_are_off_unless_a_collector_is_set() -> None:
    assert Tracing.load(Settings()) is None
    with pytest.raises(InvalidSettings, match="http address of a collector"):
        Settings(traces="collector:4318")
    loaded = Tracing.load(Settings(traces="http://127.0.0.1:9/v1/traces"))
    assert loaded is not None
    loaded.close()
