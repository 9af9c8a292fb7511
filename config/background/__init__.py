"""Background work: the job table, its workers, and their wake-up calls.

The ``Job`` row is authoritative; Celery only wakes workers. Rooms register their kinds of job in their ``jobs.py``
with :func:`config.background.job_kinds.job_kind` and start them with :func:`config.background.services.start`.
"""
