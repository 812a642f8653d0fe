import { ChainError } from '../chain.ts'
import { NodeError } from '../rpc/fault.ts'
import type { Call } from '../rpc/json-rpc.ts'
import { askInParts, type Parts } from '../rpc/parts.ts'
import type { OneNode } from '../rpc/proven.ts'

type Reading = {
  readonly commitment: 'confirmed' | 'finalized'
  readonly encoding: 'json' | 'base64'
}

type HowToRead<Transaction> = {
  readonly parts: Parts
  readonly deadline: AbortSignal
  readonly refuse?: (transaction: Transaction) => void
}

/** Of a newer version, nodes say only that it is newer: its fields might mean anything. */
export const maxSupportedTransactionVersion = 1

export function transactionCall(signature: string, reading: Reading): Call {
  const options = { ...reading, maxSupportedTransactionVersion }
  return { method: 'getTransaction', params: [signature, options] }
}

/** Null for one of an unknown version; `lagging` where no node has one. */
export function readTransactions<Transaction>(
  rpc: OneNode,
  signatures: readonly string[],
  reading: Reading,
  { parts, deadline, refuse }: HowToRead<Transaction>,
): Promise<readonly (Transaction | null)[]> {
  const calls = signatures.map((signature) => transactionCall(signature, reading))
  const read = (answer: unknown, at: number) => {
    if (answer === null)
      throw new ChainError('lagging', `the node does not have ${signatures[at]}, which is listed`)
    if (answer === tooNew) return null
    refuse?.(answer as Transaction)
    return answer as Transaction
  }
  return askInParts(oneByOne(rpc), calls, read, parts, deadline)
}

/** Asks one by one where a batch fails because a transaction in it is too new. */
function oneByOne(rpc: OneNode): OneNode {
  return {
    async read(calls, understand, deadline) {
      try {
        return await rpc.read(calls, understand, deadline)
      } catch (error) {
        if (!isTooNew(error)) throw error
      }
      const answers: unknown[] = []
      for (const call of calls) {
        const answer = rpc.read([call], ([one]) => had(one), deadline)
        answers.push(await answer.catch(tooNewOrThrow))
      }
      return understand(answers)
    },
  }
}

function had(answer: unknown): unknown {
  if (answer !== null) return answer
  throw new ChainError('lagging', 'the node does not have a transaction that is listed')
}

function tooNewOrThrow(error: unknown): typeof tooNew {
  if (isTooNew(error)) return tooNew
  throw error
}

function isTooNew(error: unknown): boolean {
  return error instanceof NodeError && error.code === unsupportedVersion
}

/** No JSON answer can be `undefined`. */
const tooNew = undefined
const unsupportedVersion = -32015
