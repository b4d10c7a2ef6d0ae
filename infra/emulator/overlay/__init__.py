"""MiniStack, and what a stack of Millrace needs that MiniStack leaves out. No file of MiniStack is changed."""
