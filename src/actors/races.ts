import type { DomainError } from '../domain/error.ts'

const mostLost = 20

/**
 * Repeats what another process may be faster at, until `attempt` answers something else than
 * undefined. Each attempt reads and decides anew. Rejects with `refusal` after twenty.
 */
export async function untilWon<Won>(
  attempt: () => Promise<Won | undefined>,
  refusal: (lost: number) => DomainError,
): Promise<Won> {
  for (let lost = 0; lost < mostLost; lost++) {
    const won = await attempt()
    if (won !== undefined) return won
  }
  throw refusal(mostLost)
}
