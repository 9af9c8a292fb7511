"""The rules of judging as pure functions: packing, layout, gold, screening, forecasts, flags, pay and wording.

They import nothing else from judging, except its errors.
"""
