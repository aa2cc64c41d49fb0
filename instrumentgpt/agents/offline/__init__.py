"""The offline analyst: a program on the wire of a CLI agent that needs no model, account or network."""
