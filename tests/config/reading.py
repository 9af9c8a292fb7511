"""Read metrics as Prometheus would."""

from prometheus_client.parser import text_string_to_metric_families


def numbers(text: str) -> dict[tuple, float]:
    """Return (name, labels) → value."""
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
