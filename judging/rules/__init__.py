"""The rules of judging, pure: packing, layout, gold, screening, forecasts, flags, pay and words.

They import nothing from judging except its errors.
"""
