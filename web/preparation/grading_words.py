"""Wording of the preparation pages for graded campaigns."""

#: Step → its title.
STEPS_FOR_GRADES = {"gold": "Test passages"}
#: Check → its advice if it fails.
ADVICE_FOR_GRADES = {
    "screening": "Choose another rule for failed test passages.",
    "pay": "Raise the pay for a task, or reduce the number of passages in a task.",
}

#: The fields of campaigns that grade single passages: name → help text.
HELP_FOR_GRADES = {
    "pairs_per_task": "Test passages are added to these. Reference: 10.",
    "gold_per_task": "Passages with a known grade, hidden anywhere in the task. Reference: 3.",
    "judgments_per_pair": "Each by a different person. Reference: 1.",
    "max_tasks_per_worker": (
        "Nobody sees a test passage twice, so this decides how many are needed. In a small campaign, 20 is "
        "lowered to 35% of the passages: a worker who grades more can recognize test passages."
    ),
    "screen": (
        "An excluded worker's grades do not count. A draft starts with the rule of the reference experiment. Its "
        "settings and check list recommend the rule that fits this campaign best."
    ),
    "slip_rate": (
        "Largest share of test passages that honest people are assumed to miss, 0 to 0.5. Until a pilot has "
        "measured the rate, the forecast ranges from a twentieth of this value up to it."
    ),
    "refuse_excluded_elsewhere": (
        "For two or more failed test passages, for repeated work without a judged passage, or by a person's "
        "decision. Other collections' campaigns never count."
    ),
    "mark_query_words": "",
    "minimum_seconds": "0: at once. A few seconds slow down workers who only click.",
    "seed": "It decides which passages share a task, and their order.",
}
