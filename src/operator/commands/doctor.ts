import { Command } from 'commander'
import { print } from '../output.ts'

const marks = { ok: '✓', note: '·', problem: '✗' }

export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'check the configuration, keys, database, clocks, Redis, chains and anchor contract',
    )
    .action(async (options: { json?: boolean }) => {
      // Loaded only here: chain and queue clients take longer to load than most commands run.
      const { diagnose } = await import('../doctor/doctor.ts')
      const findings = await diagnose()
      const lines = findings.flatMap(({ verdict, what, detail, remedy }) => [
        `${marks[verdict]} ${what}: ${detail}`,
        ...(remedy ? [`    ${remedy}`] : []),
      ])
      // A configuration's problems take several lines.
      print(
        options,
        findings,
        lines.flatMap((line) => line.split('\n')),
      )
      if (findings.some(({ verdict }) => verdict === 'problem')) process.exitCode = 1
    })
}
