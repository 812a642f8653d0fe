import { open, rm } from 'node:fs/promises'
import { Command } from 'commander'
import { daysOfPeriod } from '../../domain/books/period.ts'
import { OperatorError } from '../../domain/error.ts'
import { findAccount } from '../../storage/accounts/accounts.ts'
import { connect } from '../../storage/postgres/db.ts'
import { askNodes } from '../../verify/node.ts'
import { eachAddress, evmAddress, nodeUrl, period, uuid } from '../arguments.ts'
import { exportBooks } from '../books/export.ts'
import { linesOf } from '../books/lines.ts'
import { type Verified, verifyBooks } from '../books/verify.ts'
import { endWithoutVerdict } from '../no-verdict.ts'
import { print } from '../output.ts'
import { onDatabase } from '../session.ts'

export function booksCommand(): Command {
  const books = new Command('books').description('write the books of an account for auditors')
  books
    .command('export')
    .description('write documents, receipts and journal of a period into a file')
    .requiredOption('--account <id>', 'the account', uuid)
    .requiredOption('--period <period>', 'a month (2026-10), a quarter (2026-Q4) or a year', period)
    .requiredOption('--out <file>', 'the file, which must not exist')
    .action(exportTo)
  books
    .command('verify')
    .description('check such a file against a chain, without trusting anybody else')
    .argument('<file>', 'what `books export` has written')
    .requiredOption('--rpc <url>', 'a node of the chain the receipts are anchored on', nodeUrl)
    .requiredOption('--contract <address>', 'the contract that the issuer anchors with', evmAddress)
    .requiredOption('--sender <address...>', 'the senders by which it anchors', eachAddress)
    .action(verify)
  return books
}

type ExportOptions = {
  readonly account: string
  readonly period: string
  readonly out: string
  readonly json?: boolean
}

/** A page of a large account may take longer than requests are given. */
const pageMs = 600_000

async function exportTo(options: ExportOptions): Promise<void> {
  const { account: accountId, period, out } = options
  const days = daysOfPeriod(period)
  if (days === null) return
  const exported = await onDatabase(async ({ databaseUrl, sql }) => {
    if (!(await findAccount(sql, accountId)))
      throw new OperatorError('there is no such account', 'correct --account')
    const reader = connect(databaseUrl, { max: 1, name: 'books', limitMs: pageMs })
    // Others who use the machine must not read it.
    const file = await open(out, 'wx', 0o600)
    try {
      const exportedAt = new Date().toISOString()
      const wanted = { accountId, period, days, exportedAt }
      return await exportBooks(reader, wanted, (text) => file.appendFile(text))
    } catch (error) {
      await rm(out)
      throw error
    } finally {
      await file.close()
      await reader.end({ timeout: 2 })
    }
  })
  const { documents, receipts, entries } = exported
  print(options, exported, [`${documents} documents, ${receipts} receipts, ${entries} entries`])
}

type VerifyOptions = {
  readonly rpc: string
  readonly contract: string
  readonly sender: readonly string[]
  readonly json?: boolean
}

async function verify(file: string, options: VerifyOptions): Promise<void> {
  const { rpc, contract, sender: senders } = options
  try {
    const issuer = { contract, senders }
    const verified = await verifyBooks(linesOf(file), askNodes([rpc]), issuer, new Date())
    print(options, verified, textOf(verified))
    if (!verified.ok) process.exitCode = 1
  } catch (error) {
    endWithoutVerdict(options, error)
  }
}

function textOf(verified: Verified): readonly string[] {
  const { accountId, period, exportedAt, faults, faultCount } = verified
  const { documents, receipts, entries, batches, open, pending } = verified
  const proven = open + pending > 0 ? 'what is proven' : 'all of it'
  return [
    `${period} of account ${accountId}, as of ${exportedAt}`,
    `${documents} documents, ${receipts} receipts in ${batches} batches on chain, ${entries} entries`,
    ...(open > 0
      ? [`not proven yet: ${open} documents of a month that was not over; export again after it`]
      : []),
    ...(pending > 0 ? [`not proven yet: ${pending} receipts that were not on chain`] : []),
    ...faults.map(({ problem, of, message }) => `${problem}: ${of}: ${message}`),
    ...(faultCount > faults.length ? [`and ${faultCount - faults.length} more`] : []),
    faultCount > 0 ? 'NOT AS IT WAS ISSUED' : `${proven} is as it was issued`,
  ]
}
