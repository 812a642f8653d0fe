/** The embedded PostgreSQL cannot be had; the message tells the operator why. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError'
}
