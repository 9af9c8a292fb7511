"""The limits of benchmarks/serve.py, and its results as text."""

from typing import Any

Figures = dict[str, Any]

MOST_SECONDS = 0.3
LEAST_RATIO = 0.8
#: The minimum of tasks per second on PostgreSQL at full speed, by pace.
LEAST_TASKS = {"fast": 20.0, "form": 32.0, "fast, few": 20.0, "form, few": 32.0}
#: The maximum seconds of a save on PostgreSQL at the 95th percentile, by pace.
MOST_SAVE_SECONDS = {"human": 0.025, "fast": 0.6, "fast, few": 0.6}
MOST_PROCESSOR_MS = 65.0
PACES = ("human", *LEAST_TASKS)


def missed(on: str, figures: Figures) -> list[str]:
    found = [
        f"{on}, human pace: p95 of {kind} is {times['p95']:.3f} s"
        for kind, times in figures["human"]["requests"].items()
        if times["p95"] >= MOST_SECONDS
    ]
    for pace in PACES:
        one = figures[pace]
        found += [f"{on}, {pace}: {error} ({times} times)" for error, times in one["errors"].items()]
        found += [f"{on}, {pace}: lost: {what}" for what in one["lost"][:5]]
        if not one["tasks"]:
            found.append(f"{on}, {pace}: nobody finished a task")
    found += [f"{on}, compared: {error}" for error in figures["compared"]["errors"][:5]]
    if figures["compared"]["ratio"] < LEAST_RATIO:
        found.append(f"{on}: ratio {figures['compared']['ratio']:.2f}")
    return found + (_too_slow(figures) if on == "postgres" else [])


def _too_slow(figures: Figures) -> list[str]:
    """Return the missed limits on tasks per second, save times and processor time."""
    found = [
        f"{pace}: {figures[pace]['tasks_per_second']:.1f} tasks/s (limit {least:.0f})"
        for pace, least in LEAST_TASKS.items()
        if figures[pace]["tasks_per_second"] < least
    ]
    found += [
        f"{pace}: p95 of save is {figures[pace]['requests']['save']['p95']:.3f} s (limit {most:g} s)"
        for pace, most in MOST_SAVE_SECONDS.items()
        if figures[pace]["requests"]["save"]["p95"] >= most
    ]
    found += [
        f"{pace}: {figures[pace]['processor_ms_a_task']:.0f} ms of processor a task (limit {MOST_PROCESSOR_MS:.0f})"
        for pace in LEAST_TASKS
        if figures[pace]["processor_ms_a_task"] >= MOST_PROCESSOR_MS
    ]
    return [f"postgres, {what}" for what in found]


def show(on: str, figures: Figures) -> None:
    """Print one database's figures as text."""
    for pace in PACES:
        one = figures[pace]
        print(
            f"{on}, {figures['people']} people, {pace}: {one['tasks']:,} tasks and {one['saves']:,} choices in "
            f"{one['seconds']:.0f} s: {one['tasks_per_second']:.1f} tasks/s, "
            f"{one['saves_per_second']:.1f} choices/s, {one['processor_ms_a_task']:.0f} ms of processor time a task"
        )
        for kind, times in one["requests"].items():
            limit = f"  (limit p95 {MOST_SECONDS} s)" if pace == "human" else ""
            print(
                f"    {kind:8} {times['number']:7,}  p50 {times['p50'] * 1000:6.0f} ms  "
                f"p95 {times['p95'] * 1000:6.0f} ms  p99 {times['p99'] * 1000:6.0f} ms{limit}"
            )
    compared = figures["compared"]
    few, many = (compared["tasks_per_second"][which] for which in ("few", "many"))
    print(
        f"{on}: {many:.1f} tasks/s with {compared['many_waiting']:,} waiting, {few:.1f} with "
        f"{compared['few_waiting']}: {compared['ratio']:.2f} (limit {LEAST_RATIO}); taking p50 "
        f"{compared['take']['many']['p50'] * 1000:.0f} and {compared['take']['few']['p50'] * 1000:.0f} ms"
    )
