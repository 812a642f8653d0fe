import { ChainError } from '../chain/chain.ts'
import { NodeError } from '../verify/node.ts'
import { print } from './output.ts'
import { Unreadable } from './read-json.ts'

/**
 * The exit code where file, service or chain could not be read: a script must not take what was not
 * read for forged.
 */
const noVerdict = 3

/** Says why there is no verdict; `more` is added to the error in JSON. Throws any other error. */
export function endWithoutVerdict(
  options: { readonly json?: boolean },
  error: unknown,
  more: object | null = null,
): void {
  const isOfChain = error instanceof NodeError || error instanceof ChainError
  if (!(error instanceof Unreadable || isOfChain)) throw error
  const { message } = error
  const problem = { code: isOfChain ? 'chain_unreadable' : 'unreadable', message, ...more }
  if (options.json) print(options, { error: problem }, [])
  process.stderr.write(`${message}\n`)
  process.exitCode = noVerdict
}
