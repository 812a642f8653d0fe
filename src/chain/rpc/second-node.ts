import { staleHeadMs } from '../../domain/registry.ts'
import type { Sent, Verdict } from '../../domain/settlement/seconded.ts'
import { keepNewest } from '../../scheduling/cache.ts'
import { type Chain, ChainError, type NodeLook, type Transfer } from '../chain.ts'

/** How long a second node that does not answer holds payments up. */
const longestSilenceMs = 120_000
/** What has not been looked at for longer is not known any more. */
const forgottenMs = 600_000
const mostNamed = 1_000

export type SecondNode = ReturnType<typeof createSecondNode>

/**
 * Says which payments a second node shows too. Every node is asked for itself, so it does not
 * matter which of them was believed first. With one URL everything counts as shown.
 */
export function createSecondNode({
  chain,
  steadyMs,
  now = () => new Date(),
  log,
}: {
  readonly chain: Pick<Chain, 'network' | 'urls' | 'looks'>
  /** Monotonic. */
  readonly steadyMs: () => number
  readonly now?: () => Date
  readonly log: Record<'warn' | 'error', (line: object, message: string) => void>
}) {
  const { network } = chain
  const silences = new Map<string, { readonly sinceMs: number; readonly lastMs: number }>()
  const contradictions = new Map<string, { readonly text: string; readonly atMs: number }>()

  /** By payment. `isSame`: whether what a node shows is this payment in other respects too. */
  async function look<One extends Sent>(
    payments: readonly One[],
    isSame: (payment: One, shown: Transfer) => boolean = () => true,
  ): Promise<ReadonlyMap<One, Verdict>> {
    if (chain.urls === 1 || payments.length === 0)
      return new Map(payments.map((payment) => [payment, 'shown']))
    const looks = await chain.looks(payments)
    const stances = payments.map((payment, at) => {
      const is = (shown: Transfer) => isAlike(payment, shown) && isSame(payment, shown)
      const found = looks.map(({ answer }) => foundIn(answer, at)?.find(is))
      const inBlock = payment.blockNumber ?? found.find((one) => one)?.blockNumber ?? Infinity
      return looks.map(({ host, answer }, node): Stance => {
        return { host, says: found[node]?.blockHash ?? stanceOf(answer, at, inBlock) }
      })
    })
    for (const [node, { host }] of looks.entries())
      noteSilence(
        host,
        stances.some((all) => all[node]?.says === 'silent'),
      )
    return new Map(
      payments.map((payment, at) => [payment, verdictOn(payment, stances[at] as Stance[])]),
    )
  }

  /** Of a node that does not show the payment. */
  function stanceOf(answer: NodeLook['answer'], at: number, inBlock: number) {
    if (answer instanceof ChainError) return 'silent'
    if (foundIn(answer, at) !== null || answer.head.number > inBlock) return 'denies'
    // One that goes on will come to the block. One that stands still says nothing about it.
    return now().getTime() - answer.head.timestampMs > staleHeadMs ? 'silent' : 'behind'
  }

  function verdictOn(payment: Sent, stances: readonly Stance[]): Verdict {
    const hostsThat = (...said: readonly string[]) =>
      stances.filter(({ says }) => said.includes(says)).map(({ host }) => host)
    const blocks = stances.map(({ says }) => says).filter((says) => !noBlocks.includes(says))
    const most = Math.max(0, ...blocks.map((block) => hostsThat(block).length))
    const deniedBy = hostsThat('denies')
    const isContradicted = most < 2 && (deniedBy.length > 0 || blocks.length > 1)
    if (isContradicted && deniedBy.length < stances.length) {
      noteContradiction(payment, { shownBy: hostsThat(...blocks), deniedBy })
      return 'contradicted'
    }
    contradictions.delete(payment.txHash)
    if (isContradicted) return 'gone'
    const others = hostsThat('silent')
    const isAlone = most === 1 && others.length === stances.length - 1
    return most >= 2 || (isAlone && others.every(isLongSilent)) ? 'shown' : 'waiting'
  }

  function noteSilence(host: string, isSilent: boolean): void {
    const wasLong = isLongSilent(host)
    const nowMs = steadyMs()
    const before = silences.get(host)
    // Where nobody has asked it for long, it may have been back.
    const isOne = before && nowMs - before.lastMs < forgottenMs
    silences.set(host, { sinceMs: isOne ? before.sinceMs : nowMs, lastMs: nowMs })
    if (!isSilent) silences.delete(host)
    else if (isLongSilent(host) && !wasLong) log.warn({ network, host }, oneSuffices)
  }

  function isLongSilent(host: string): boolean {
    const silence = silences.get(host)
    return silence !== undefined && silence.lastMs - silence.sinceMs >= longestSilenceMs
  }

  function noteContradiction({ txHash }: Sent, nodes: Record<'shownBy' | 'deniedBy', string[]>) {
    const { shownBy, deniedBy } = nodes
    const byOthers = deniedBy.length > 0 ? `not by ${deniedBy.join(', ')}` : 'in different blocks'
    const text = `${network}: ${isHeld}: ${txHash}, shown by ${shownBy.join(', ') || 'none'}, ${byOthers}`
    if (!contradictions.has(txHash)) log.error({ network, txHash, ...nodes }, isHeld)
    keepNewest(contradictions, txHash, { text, atMs: steadyMs() }, mostNamed)
  }

  /** For operators: the nodes that do not count for now, and the payments that are held. */
  function notes(): readonly string[] {
    const isRecent = (atMs: number) => steadyMs() - atMs < forgottenMs
    const away = [...silences].filter(
      ([host, { lastMs }]) => isRecent(lastMs) && isLongSilent(host),
    )
    const held = [...contradictions.values()].filter(({ atMs }) => isRecent(atMs))
    return [
      ...away.map(([host]) => `${network}: ${host}: ${oneSuffices}`),
      ...held.map(({ text }) => text),
    ]
  }

  async function seconded<One extends Sent>(payments: readonly One[]): Promise<readonly One[]> {
    const verdicts = await look(payments)
    return payments.filter((payment) => verdicts.get(payment) === 'shown')
  }

  return { look, seconded, notes, isNeeded: chain.urls > 1 }
}

/** Null: it has no such transaction in a block. */
function foundIn(answer: NodeLook['answer'], at: number): readonly Transfer[] | null {
  return answer instanceof ChainError ? null : (answer.shown[at] ?? null)
}

function isAlike(payment: Sent, shown: Transfer): boolean {
  const { position, ...others } = payment
  const names = ['from', 'to', 'usdcBase', 'blockNumber', 'blockHash'] as const
  // skaled counts the logs of a receipt from its transaction's first, and those of lists do not.
  const isThere = position === undefined || position === shown.position || shown.chain === 'skale'
  return isThere && names.every((name) => (others[name] ?? shown[name]) === shown[name])
}

/** `says`: the hash of the block in which it shows the payment, or why it does not. */
type Stance = { readonly host: string; readonly says: string }

const noBlocks: readonly string[] = ['silent', 'denies', 'behind']
const oneSuffices = 'a second node does not answer: one suffices for payments'
const isHeld = 'nodes contradict each other about a payment: it is held'
