"""What continuous integration runs: verify documents, compare predictions, and say so in the job's summary.

``python -P -m evalcore.ci verify DATA… -- POINT…`` and ``… compare BASELINE… -- FILE…`` are what the hooks
of pre-commit call, ``… action`` what ``action.yml`` calls, which hands its inputs over as variables. No text
of a file, a name or an input reaches a shell, an option, a command of the runner or the summary's markup.
"""
