import { asOnlySender } from '../../src/storage/anchors/transactions.ts'
import { connect } from '../../src/storage/postgres/db.ts'

/**
 * Is the only sender of `SENDER` until its input ends. Prints `held`, and `done` without a fault.
 */
const sql = connect(process.env.DATABASE_URL ?? '', { max: 1, name: 'holder' })
await asOnlySender(sql, JSON.parse(process.env.SENDER ?? ''), async () => {
  console.log('held')
  await Bun.stdin.text()
})
console.log('done')
process.exit(0)
