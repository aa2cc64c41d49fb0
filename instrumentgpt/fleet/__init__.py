"""All instruments of the inventory: their logs judged in passing, what stands and what has changed."""
