/** A transfer as it was found; what is given must be the same at every node. */
export type Sent = {
  readonly txHash: string
  readonly to: string
  readonly from?: string
  readonly usdcBase?: bigint
  readonly position?: number
  readonly blockNumber?: number
  readonly blockHash?: string
}

/**
 * `shown`: it counts, since two nodes show it, or one does while the others have been silent for
 * long. `waiting`: a second node is behind, or silent. `contradicted`: a node that has its block
 * does not show it; `gone`: none does.
 */
export type Verdict = 'shown' | 'waiting' | 'contradicted' | 'gone'

/** Those of the transfers that count by now. */
export type Seconded = <One extends Sent>(sent: readonly One[]) => Promise<readonly One[]>
