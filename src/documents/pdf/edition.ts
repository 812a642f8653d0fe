/**
 * Part of every document's tag, to be raised when the same invoice produces a different document:
 * copies that clients have cached are then out of date.
 */
export const edition = 9
