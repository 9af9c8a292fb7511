"""The frame address's signature of a task's holder; tests/judging/crowds/test_arrival.py checks the same value."""

from marketplace.protocol.arrival_signature import sign
from tests.marketplace.conftest import NOW

IDS = {
    "assignment_id": "3ASSIGNMENT0000000000000001",
    "hit_id": "3HIT000000000000000000000001",
    "worker_id": "A1WORKER00000",
}
SIGNATURE = "3a2b7c7c4e94affd00e1e95b5dfcdc98b4c3c898353c3dc0c8f92d6a01add8d2"


def test_signature_is_over_time_assignment_hit_and_worker():
    assert sign(["very secret"], taken_at=NOW, **IDS) == f"1772366400000.{SIGNATURE}"


def test_every_key_that_works_signs():
    signed = sign(["new", "very secret"], taken_at=NOW, **IDS)

    assert signed.count(".") == 2
    assert signed.endswith(SIGNATURE)
