"""The pages that workers see, and the actions on them."""
