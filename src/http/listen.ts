import type { AnyElysia } from 'elysia'
import { OperatorError } from '../domain/error.ts'

type Place = {
  readonly hostname: string
  readonly port: number
  /** The variable that sets the port. */
  readonly variable: 'PORT' | 'METRICS_PORT'
}

/** Starts a server on a port that is not shared. Errors: `OperatorError` where it cannot be had. */
export function listen<App extends AnyElysia>(
  app: App,
  { hostname, port, variable }: Place,
  options: { readonly idleTimeout?: number; readonly maxRequestBodySize?: number } = {},
): App {
  try {
    return app.listen({ hostname, port, reusePort: false, ...options })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw code === 'EADDRINUSE'
      ? new OperatorError(
          `Port ${port} is already in use (EADDRINUSE)`,
          `stop the other program, or set ${variable}`,
        )
      : new OperatorError(
          `The service cannot listen on ${hostname}, port ${port} (${message})`,
          `set HOST or ${variable}`,
        )
  }
}
