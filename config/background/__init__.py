"""Background work: the job table, and the workers that run its jobs.

The ``Job`` row is authoritative; Celery only wakes workers. Apps register their kinds of job in their ``jobs.py``
with :func:`config.background.job_kinds.job_kind` and start them with :func:`config.background.services.start`.
"""
