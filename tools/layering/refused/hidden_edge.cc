// Nothing: what matters is the dependency that BUILD hides in a select().
