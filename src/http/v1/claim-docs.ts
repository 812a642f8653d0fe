import { Type } from '@sinclair/typebox'
import { like, oneOf, uuid } from '../openapi/doc-schemas.ts'
import * as Example from '../openapi/examples.ts'
import type { Docs } from '../operation.ts'
import { wrapped } from '../response/envelope.ts'

const Claim = Type.Object(
  {
    invoiceId: uuid,
    txHash: like(Example.txHash),
    status: oneOf(['credited', 'pending']),
    invoiceStatus: oneOf(['PENDING', 'SETTLED', 'FAILED']),
    amountDue: like('14.875'),
    amountReceived: like('14.875'),
  },
  { $id: 'Claim' },
)

/** What `/openapi.json` says about claiming. */
export const claimInvoice: Docs = {
  summary: 'Claim a transfer for an invoice',
  description:
    'For a payer whose transfer named no invoice. No key is needed: the sender of the transfer signs (EIP-191 on EVM chains, ed25519 on ' +
    'Solana) these five lines, each ended by a line feed: `Quittance payment statement v1`, `I made this transfer, and it pays:`, ' +
    '`Invoice: <id>`, `Chain: <chain>`, `Transaction: <hash, in lower case on EVM chains>`. Claimed transfers add up, but one of exactly the outstanding amount is credited alone; of ' +
    'those below a hundredth of the amount due, only a hundred of each size count. A transaction that the service has not seen yet is answered 202 and credited once it is seen. Repeating it gives the same answer. ' +
    'An invoice takes twenty claims of unseen transactions a day; further ones are 409 until the transaction is seen.',
  exampleBody: {
    txHash: Example.txHash,
    signature: `0x${'1b'.repeat(65)}`,
    payer: Example.address,
  },
  answers: { 200: wrapped(Claim), 202: wrapped(Claim) },
  refusals: [
    'invalid_state',
    'already_credited',
    'transfer_mismatch',
    'not_the_sender',
    'invalid_signature',
    'limit_reached',
  ],
}
