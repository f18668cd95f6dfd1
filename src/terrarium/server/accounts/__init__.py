"""Accounts, passwords, tokens, cookies and vacations."""
