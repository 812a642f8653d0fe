import type { Answer, TestApp } from './app.ts'
import { keyWith } from './app.ts'
import { heldTransfer } from './claims.ts'

/** Credits an invoice of the app's account; `path` is that of its family's invoices. */
export function credited(
  app: Pick<TestApp, 'send'>,
  invoiceId: string,
  body: object,
  {
    path = '/api/invoices',
    headers = {},
  }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return app.send('POST', `${path}/${invoiceId}/credit-notes`, body, headers)
}

/** Pays a part of an invoice, by default unnoticed by any watcher: an operator assigns it. */
export async function payInvoice(
  app: TestApp,
  invoiceId: string,
  over: Partial<Parameters<typeof heldTransfer>[1]> & { usdcBase: bigint },
): Promise<void> {
  const id = await heldTransfer(app.database.sql, over)
  const headers = { 'x-api-key': await keyWith(app, ['admin']) }
  const { status, text } = await app.send(
    'POST',
    `/api/transfers/${id}/assign`,
    { invoiceId },
    headers,
  )
  if (status !== 200) throw new Error(text)
}
