import { Command } from 'commander'
import type { AuditEntry } from '../../domain/accounts/account.ts'
import { listAudit } from '../../storage/accounts/audit.ts'
import { positive, uuid } from '../arguments.ts'
import { print } from '../output.ts'
import { onDatabase } from '../session.ts'

export function auditCommand(): Command {
  const audit = new Command('audit').description(
    'show changes to accounts, profiles, keys, webhooks and budgets',
  )
  audit
    .command('list')
    .description('list changes, newest first')
    .option('--account <id>', 'only of this account', uuid)
    .option('--limit <n>', 'at most this many', positive, 50)
    .option('--before <entry-id>', 'only entries before this one', positive)
    .action(list)
  return audit
}

async function list(options: {
  account?: string
  limit: number
  before?: number
  json?: boolean
}): Promise<void> {
  const { account: accountId = null, limit, before } = options
  const query = { accountId, limit, before: before?.toString() ?? null }
  const entries = await onDatabase(({ sql }) => listAudit(sql, query))
  print(options, entries, entries.map(lineOf))
}

function lineOf(entry: AuditEntry) {
  const { id, at, accountId, kind, subjectId, action, actor, requestId, before, after } = entry
  const changes = Object.entries(after)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before?.[name] ?? null))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  const owner = subjectId === accountId ? '' : ` of account ${accountId}`
  const request = requestId ? ` (request ${requestId})` : ''
  return `${id}  ${at.toISOString()}  ${kind} ${subjectId}${owner} ${action} by ${actor}${request}  ${changes.join(' ')}`
}
