"""Money owed and paid: rewards, bonuses, budgets, held pay, rejections, and the books."""
