import { Command } from 'commander'
import { diagnose } from '../doctor.ts'
import { jsonOption, print } from '../output.ts'

const marks = { ok: '✓', note: '·', problem: '✗' }

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check configuration, keys, database, clocks, Redis, chains and anchor contract')
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      const findings = await diagnose()
      const lines = findings.flatMap(({ verdict, what, detail, remedy }) => [
        `${marks[verdict]} ${what}: ${detail}`,
        ...(remedy ? [`    ${remedy}`] : []),
      ])
      print(options, findings, lines)
      if (findings.some(({ verdict }) => verdict === 'problem')) process.exitCode = 1
    })
}
