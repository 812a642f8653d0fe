import { Presets, SingleBar } from 'cli-progress'
import { Argument, Command } from 'commander'
import { type Network, networks } from '../../domain/network.ts'
import { blockNumber } from '../arguments.ts'
import type { Backfilled } from '../backfill.ts'
import { print } from '../output.ts'
import { onDatabaseWithKey } from '../session.ts'

export function backfillCommand(): Command {
  return new Command('backfill')
    .description(
      'read blocks again to find missed payments; safe beside a running service, and repeatable',
    )
    .addArgument(new Argument('<chain>', 'the chain').choices(networks))
    .requiredOption('--from <block>', 'the first block', blockNumber)
    .requiredOption('--to <block>', 'the last block', blockNumber)
    .action(run)
}

async function run(
  chain: Network,
  options: { from: number; to: number; json?: boolean },
  command: Command,
): Promise<void> {
  const { from, to } = options
  if (to < from) command.error(`error: option '--to' must not be before --from`, { exitCode: 2 })
  // Loaded only here: chain clients take longer to load than most commands run.
  const { backfill } = await import('../backfill.ts')
  const bar = progressBar({ from, to, unit: 'blocks' })
  const done = await onDatabaseWithKey((session) =>
    backfill(session, { chain, from, to }, bar.update),
  ).finally(bar.stop)
  print(options, done, [sentenceOn(done)])
  if (!done.isComplete) process.exitCode = 1
}

function sentenceOn(done: Backfilled): string {
  const { chain, from, to, nextBlock, isComplete, transfersFound, invoicesChanged } = done
  const found = `${transfersFound} new transfer(s), ${invoicesChanged} invoice(s) changed`
  const note = isComplete
    ? ''
    : '; later blocks are not confirmed yet: run the same command again later'
  if (nextBlock <= from)
    return `${chain}: none of the blocks ${from} to ${to} is confirmed yet: run the same command again later`
  // A step may read beyond the requested range.
  const last = Math.min(nextBlock - 1, to)
  return `${chain}: read blocks ${from} to ${last}, ${found}${note}`
}

/** On standard error, if that is a terminal. */
function progressBar({ from, to, unit }: { from: number; to: number; unit: string }) {
  const format = `{bar} {percentage} %  {value} of {total} ${unit}, {eta_formatted} left`
  // Otherwise the bar switches off the terminal's wrapping, and Ctrl-C leaves it off.
  const options = { format, linewrap: true }
  const bar = process.stderr.isTTY ? new SingleBar(options, Presets.shades_classic) : null
  bar?.start(to - from + 1, 0)
  return {
    update(next: number) {
      // Before any progress, the time left is not a number.
      if (next > from) bar?.update(next - from)
    },
    stop: () => bar?.stop(),
  }
}
