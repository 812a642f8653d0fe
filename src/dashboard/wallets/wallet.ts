/** Why a wallet did not send. `message` is the wallet's own. */
export class WalletFailure extends Error {
  constructor(
    readonly reason: 'declined' | 'other_chain' | 'failed',
    message = '',
  ) {
    super(message)
  }
}

/** A wallet in the payer's browser. */
export type Wallet = {
  readonly id: string
  /** Null: it does not say. */
  readonly name: string | null
  readonly icon: string | null
  /**
   * Asks its owner to pay. `prepare` gets the transaction for the owner's account. Answers the
   * hash, where it is known. Rejects with a `WalletFailure`, or with what `prepare` rejects with.
   */
  pay<T>(prepare: (account: string) => Promise<T>): Promise<string | null>
}

/** What the wallet answers, or its failure. */
export async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
    const isDeclined = code === userRejected || /reject|declin|denied|cancel/i.test(message)
    throw new WalletFailure(isDeclined ? 'declined' : 'failed', message.slice(0, 200))
  }
}

/** Pages may load pictures only from themselves. */
export function pictureIn(icon: unknown): string | null {
  return typeof icon === 'string' && icon.startsWith('data:image/') ? icon : null
}

const userRejected = 4001
