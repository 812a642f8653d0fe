import type { Block, Chain, Transfer } from '../../src/chain/chain.ts'

type Moved = Pick<Transfer, 'txHash' | 'from' | 'to' | 'usdcBase'> & Partial<Transfer>

/** A chain in memory, for where only what is done with its transfers matters. */
export function memoryChain() {
  const blocks: (Block & { readonly transfers: readonly Transfer[] })[] = []
  let forks = 0
  mine()

  /** Adds a block with these transfers, one log after the other. */
  function mine(...moved: readonly Moved[]): void {
    const number = blocks.length
    const block = { number, hash: hashOf(number, forks), timestampMs: Date.now() }
    const transfers = moved.map(
      (one, position): Transfer => ({
        ...{ chain: 'base', position, blockNumber: number, blockHash: block.hash },
        ...{ blockTimeMs: block.timestampMs, references: [], ...one },
      }),
    )
    blocks.push({ ...block, transfers })
  }

  const all = () => blocks.flatMap(({ transfers }) => transfers)

  const chain: Chain = {
    network: 'base',
    mostAddresses: null,
    urls: 1,
    head: async () => newest(),
    finalizedNumber: async () => null,
    block: async (number) => blocks[number] ?? null,
    async looks(paid) {
      const shown = paid.map(({ txHash, to }) =>
        all().filter((one) => one.txHash === txHash && one.to === to),
      )
      return [{ host: 'memory', answer: { head: newest(), shown } }]
    },
    async transfers({ from, to }, recipients, { senders } = {}) {
      const near = all().filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
      const wanted =
        typeof recipients === 'function' ? await recipients(near.map(({ to }) => to)) : recipients
      const transfers = near.filter(
        (one) => wanted.includes(one.to) && (senders?.includes(one.from) ?? true),
      )
      return { last: blocks[to] as Block, transfers }
    },
  }

  function newest(): Block {
    return blocks.at(-1) as Block
  }

  return {
    chain,
    mine,
    /** Replaces the newest `depth` blocks with empty ones. */
    reorganise(depth: number): void {
      blocks.length -= depth
      forks++
      for (let made = 0; made < depth; made++) mine()
    },
    /** A transaction with its transfers to an address, as readers of refunds see it. */
    async transaction(txHash: string, to: string) {
      const transfers = all().filter((one) => one.txHash === txHash && one.to === to)
      const [first] = transfers
      const shown = transfers.map((one) => ({ ...one, nonce: one.nonce ?? null }))
      return first ? { blockNumber: first.blockNumber, transfers: shown } : null
    },
  }
}

function hashOf(number: number, fork: number): string {
  return `0x${number.toString(16).padStart(32, '0')}${fork.toString(16).padStart(32, '0')}`
}
