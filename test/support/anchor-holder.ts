import { asOnlySender } from '../../src/storage/anchors/transactions.ts'
import { connect } from '../../src/storage/postgres/db.ts'

/**
 * A process that is the only sender of `SENDER`, a JSON object, until its input ends. It prints
 * `held` once it is, and `done` if it ends without a fault.
 */
const sql = connect(process.env.DATABASE_URL ?? '', { max: 1, name: 'holder' })
await asOnlySender(sql, JSON.parse(process.env.SENDER ?? ''), async () => {
  console.log('held')
  await Bun.stdin.text()
})
console.log('done')
process.exit(0)
