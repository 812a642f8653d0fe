/** A count for each owner; an owner that counts nothing is not kept. */
export type Counts = {
  of(ownerId: string): number
  add(ownerId: string, change: number): void
}

export function createCounts(): Counts {
  const counts = new Map<string, number>()
  const of = (ownerId: string) => counts.get(ownerId) ?? 0
  return {
    of,
    add(ownerId, change) {
      const count = of(ownerId) + change
      if (count === 0) counts.delete(ownerId)
      else counts.set(ownerId, count)
    },
  }
}
