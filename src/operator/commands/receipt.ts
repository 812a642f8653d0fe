import { Command } from 'commander'
import { OperatorError } from '../../domain/error.ts'
import { redact } from '../../verify/redact.ts'
import { print } from '../output.ts'
import { readJson } from '../read-json.ts'

export function receiptCommand(): Command {
  return new Command('receipt')
    .description('work on receipt bundles')
    .addCommand(
      new Command('redact')
        .description('print a bundle that shows nothing but some of its claims')
        .argument('<bundle>', 'a file, a URL, or - for standard input')
        .requiredOption('--show <names>', 'the claims to show, separated by commas')
        .action(redactBundle),
    )
}

type Options = { readonly show: string; readonly json?: boolean }

async function redactBundle(source: string, options: Options): Promise<void> {
  const bundle = await readJson(source)
  const redacted = redacting(bundle, options.show.split(','))
  print(options, redacted, [JSON.stringify(redacted)])
}

function redacting(bundle: unknown, names: readonly string[]) {
  try {
    return redact(bundle, names)
  } catch (error) {
    throw new OperatorError((error as Error).message, 'name claims that the bundle shows')
  }
}
