/**
 * The state of the system once no work is pending, as plain data from its database, the chains, its
 * receivers and its logs.
 */
export type Facts = {
  readonly invoices: readonly {
    readonly id: string
    readonly accountId: string
    readonly year: number
    readonly number: number
    readonly state: string
    readonly dueUsdcBase: bigint
    /** The idempotency key with which the load created the invoice, if it did. */
    readonly askedAs: string | null
    readonly credits: readonly { readonly key: string; readonly usdcBase: bigint }[]
  }[]
  /** Recorded transfers, without those that were reverted. */
  readonly transfers: readonly {
    readonly key: string
    readonly usdcBase: bigint
    readonly invoiceId: string | null
  }[]
  /** Transfers to our addresses, as the chains' own nodes report them now. */
  readonly onChain: readonly { readonly key: string; readonly usdcBase: bigint }[]
  /** The subjects of the settlement receipts in force. */
  readonly receiptsInForce: readonly string[]
  readonly mandates: readonly {
    readonly id: string
    readonly state: string
    readonly trail: readonly {
      readonly sequence: number
      readonly from: string | null
      readonly to: string
    }[]
  }[]
  /**
   * The events recorded as anchored, and the events the contract emitted. `place` is
   * `<tx> <block> <log>`.
   */
  readonly anchored: readonly { readonly event: string; readonly place: string }[]
  readonly emitted: readonly { readonly event: string; readonly place: string }[]
  /** What is wrong with the places of receipts in batches. */
  readonly misplaced: readonly string[]
  /** The number of events and deliveries still pending. */
  readonly waiting: number
  /** Event ids: owed to the receiver by its subscription, given up on, and received. */
  readonly owed: readonly string[]
  readonly givenUp: readonly string[]
  readonly received: readonly string[]
  readonly budgets: readonly {
    readonly agentId: string
    readonly limitMinor: bigint
    readonly spentMinor: bigint
    readonly reservedMinor: bigint
    /**
     * `spentMinor` and `reservedMinor` again, added up from the reservations of the current period.
     */
    readonly committedMinor: bigint
    readonly heldMinor: bigint
  }[]
  /** The number of reservations still held long after they expired. */
  readonly staleHolds: number
  /** What the service acknowledged to the load. */
  readonly acknowledged: {
    readonly invoices: readonly { readonly id: string; readonly number: number }[]
    readonly paidInvoiceIds: readonly string[]
    readonly mandates: readonly { readonly id: string; readonly state: string }[]
  }
  /** All texts that were logged, queued or sent, and the secrets that must not occur in them. */
  readonly texts: readonly { readonly where: string; readonly text: string }[]
  readonly secrets: readonly string[]
}

type Oracle = (facts: Facts) => readonly string[]

/** The complaints of all oracles; empty if everything is in order. */
export function complaints(facts: Facts): readonly string[] {
  return Object.entries(oracles).flatMap(([name, oracle]) =>
    oracle(facts).map((complaint) => `${name}: ${complaint}`),
  )
}

/** The oracles by their names in the safety plan. `ack` and `paid` check what callers were told. */
const oracles: Readonly<Record<string, Oracle>> = {
  O1: creditedOnce,
  O2: coveredByTheChain,
  O3: sumsAgree,
  O4: trailsAreWhole,
  O5: anchorsAreOnChain,
  O6: deliveredAll,
  O7: withinBudgets,
  O8: numberedOnce,
  O9: oneReceiptEach,
  O10: ({ staleHolds }) => (staleHolds > 0 ? [`${staleHolds} reservations outlive their end`] : []),
  O11: keepsSecrets,
  ack: keptWhatItAcknowledged,
  paid: settledWhatWasPaid,
}

const settledStates = ['settled', 'completed']

function creditedOnce({ invoices }: Facts): readonly string[] {
  const credits = invoices.flatMap(({ credits }) => credits.map(({ key }) => key))
  return duplicates(credits).map((key) => `${key} is credited more than once`)
}

function coveredByTheChain({ invoices, onChain }: Facts): readonly string[] {
  const values = new Map(onChain.map(({ key, usdcBase }) => [key, usdcBase]))
  return invoices
    .filter(({ state }) => settledStates.includes(state))
    .filter(
      ({ credits, dueUsdcBase }) =>
        sum(credits.map(({ key }) => values.get(key) ?? 0n)) < dueUsdcBase,
    )
    .map(({ id }) => `${id} is settled and not covered by what is on chain`)
}

function sumsAgree({ invoices, transfers, onChain }: Facts): readonly string[] {
  const credited = Map.groupBy(transfers, ({ invoiceId }) => invoiceId)
  const uneven = invoices
    .filter(
      ({ id, credits }) =>
        sum(credits.map(({ usdcBase }) => usdcBase)) !==
        sum((credited.get(id) ?? []).map(({ usdcBase }) => usdcBase)),
    )
    .map(({ id }) => `${id} and the transfers credited to it differ`)
  const asText = ({ key, usdcBase }: { key: string; usdcBase: bigint }) => `${key} of ${usdcBase}`
  return [...uneven, ...differences(transfers.map(asText), onChain.map(asText), 'record', 'chain')]
}

/**
 * The allowed transitions of a mandate. Written by hand from the specification, not derived from
 * the code.
 */
const legalMoves = [
  ' proposed',
  'proposed signed_by_proposer',
  'proposed expired',
  'signed_by_proposer signed_by_both',
  'signed_by_proposer expired',
  'signed_by_both in_progress',
  'signed_by_both disputed',
  'signed_by_both expired',
  'in_progress completed',
  'in_progress disputed',
  'in_progress expired',
]

function trailsAreWhole({ mandates }: Facts): readonly string[] {
  return mandates.flatMap(({ id, state, trail }) => {
    const isWhole = trail.every(
      ({ sequence, from, to }, at) =>
        sequence === at + 1 &&
        from === (trail[at - 1]?.to ?? null) &&
        legalMoves.includes(`${from ?? ''} ${to}`),
    )
    return isWhole && trail.at(-1)?.to === state
      ? []
      : [
          `${id} is ${state} after ${trail.map(({ sequence, to }) => `${sequence} ${to}`).join(', ')}`,
        ]
  })
}

function anchorsAreOnChain({ anchored, emitted, misplaced }: Facts): readonly string[] {
  const asText = ({ event, place }: { event: string; place: string }) => `${event} at ${place}`
  return [
    ...duplicates(emitted.map(({ event }) => event)).map((event) => `${event} is emitted twice`),
    ...differences(anchored.map(asText), emitted.map(asText), 'record', 'chain'),
    ...misplaced,
  ]
}

function deliveredAll({ waiting, owed, givenUp, received }: Facts): readonly string[] {
  const arrived = new Set(received)
  const excused = new Set(givenUp)
  const known = new Set(owed)
  return [
    ...(waiting > 0 ? [`${waiting} events or deliveries still wait`] : []),
    ...owed.filter((id) => !arrived.has(id) && !excused.has(id)).map((id) => `${id} never arrived`),
    ...[...arrived].filter((id) => !known.has(id)).map((id) => `${id} arrived and was not owed`),
  ]
}

function withinBudgets({ budgets }: Facts): readonly string[] {
  return budgets.flatMap((budget) => {
    const { agentId, limitMinor, spentMinor, reservedMinor, committedMinor, heldMinor } = budget
    return [
      ...(spentMinor + reservedMinor > limitMinor ? [`${agentId} is over its limit`] : []),
      ...(spentMinor !== committedMinor
        ? [`${agentId} has spent ${spentMinor}, its reservations say ${committedMinor}`]
        : []),
      ...(reservedMinor !== heldMinor
        ? [`${agentId} has reserved ${reservedMinor}, its reservations say ${heldMinor}`]
        : []),
    ]
  })
}

function numberedOnce({ invoices }: Facts): readonly string[] {
  const counters = Map.groupBy(invoices, ({ accountId, year }) => `${accountId} ${year}`)
  return [...counters].flatMap(([counter, of]) => {
    const numbers = of.map(({ number }) => number).toSorted((a, b) => a - b)
    return numbers.every((number, at) => number === at + 1)
      ? []
      : [`the numbers of ${counter} are not 1 to ${numbers.length}`]
  })
}

function oneReceiptEach({ invoices, receiptsInForce }: Facts): readonly string[] {
  const counts = new Map<string, number>()
  for (const id of receiptsInForce) counts.set(id, (counts.get(id) ?? 0) + 1)
  return invoices
    .filter(({ id, state }) => (counts.get(id) ?? 0) !== (settledStates.includes(state) ? 1 : 0))
    .map(({ id, state }) => `${id} is ${state} and has ${counts.get(id) ?? 0} receipts`)
}

function keepsSecrets({ texts, secrets }: Facts): readonly string[] {
  return texts
    .filter(({ text }) => secrets.some((secret) => text.includes(secret)))
    .map(({ where, text }) => `a secret in ${where}: ${text.slice(0, 60)}…`)
}

function keptWhatItAcknowledged({ invoices, mandates, acknowledged }: Facts): readonly string[] {
  const numbers = new Map(invoices.map(({ id, number }) => [id, number]))
  const states = new Map(mandates.map(({ id, state }) => [id, state]))
  return [
    ...acknowledged.invoices
      .filter(({ id, number }) => numbers.get(id) !== number)
      .map(({ id }) => `${id} was acknowledged and is lost or numbered anew`),
    ...acknowledged.mandates
      .filter(({ id, state }) => states.get(id) !== state)
      .map(({ id, state }) => `${id} was said to be ${state} and is ${states.get(id)}`),
    ...duplicates(invoices.flatMap(({ askedAs }) => askedAs ?? [])).map(
      (key) => `${key} made two invoices`,
    ),
  ]
}

function settledWhatWasPaid({ invoices, acknowledged }: Facts): readonly string[] {
  const states = new Map(invoices.map(({ id, state }) => [id, state]))
  return acknowledged.paidInvoiceIds
    .filter((id) => states.get(id) !== 'completed')
    .map((id) => `${id} was paid and is ${states.get(id)}`)
}

function duplicates(of: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return of.filter((one) => seen.has(one) || !seen.add(one))
}

function differences(
  left: readonly string[],
  right: readonly string[],
  leftName: string,
  rightName: string,
): readonly string[] {
  const [inLeft, inRight] = [new Set(left), new Set(right)]
  return [
    ...left.filter((one) => !inRight.has(one)).map((one) => `${one} is only on ${leftName}`),
    ...right.filter((one) => !inLeft.has(one)).map((one) => `${one} is only on ${rightName}`),
  ]
}

function sum(of: readonly bigint[]): bigint {
  return of.reduce((total, one) => total + one, 0n)
}
