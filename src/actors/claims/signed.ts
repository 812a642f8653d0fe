import { DomainError } from '../../domain/error.ts'
import type { SignedStatement } from '../../domain/settlement/payer-statement.ts'

export type Signatures = {
  readonly isSignedByPayer: (signed: SignedStatement) => Promise<boolean>
  /**
   * Asks a contract wallet as of the block or later. Rejects where the chain does not answer; false
   * where no contract can sign.
   */
  readonly isSignedByWallet: (signed: SignedStatement, block: number | null) => Promise<boolean>
}

/**
 * Errors: `invalid_signature` with this message; `unavailable` (a contract wallet could not be
 * asked).
 */
export async function requireSigned(
  { isSignedByPayer, isSignedByWallet }: Signatures,
  signed: SignedStatement,
  { block, refusal }: { readonly block: number | null; readonly refusal: string },
): Promise<void> {
  if (await isSignedByPayer(signed)) return
  const isSigned = await isSignedByWallet(signed, block).catch((error) => {
    const message = 'The wallet cannot be asked for its signature now; try again shortly'
    throw new DomainError('unavailable', message, {
      operatorText: `signature: ${error}`,
      retryAfterSeconds: 5,
    })
  })
  if (!isSigned) throw new DomainError('invalid_signature', refusal)
}
