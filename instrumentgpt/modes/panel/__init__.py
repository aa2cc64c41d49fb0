"""The panel: several possible causes, examined in order by experts who remember what they said."""
