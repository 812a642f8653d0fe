import { type Static, Type } from '@sinclair/typebox'
import { line, meant, minorAmount } from '../request/validation.ts'
import { address, buyerEmail, name, purpose, sharedFields, vat } from '../shared/invoice-fields.ts'

/** The body of `POST /api/invoices`. */
export const CreateInvoice = Type.Object({
  amount: minorAmount(),
  ...sharedFields,
  description: purpose(),
  buyer: meant(
    Type.Object(
      {
        companyName: name('buyer'),
        email: buyerEmail(),
        address: address('buyer'),
        vat: vat('buyer'),
      },
      { description: 'must be an object with companyName and email' },
    ),
    'Who is to pay.',
  ),
  seller: meant(
    Type.Object(
      {
        name: name('seller'),
        wallet: meant(
          line(64),
          'The wallet of the seller on `chain`, as the invoice shows it. Payments go to `paymentDetails.paymentAddress`, whatever this is.',
        ),
        address: address('seller'),
        vat: vat('seller'),
      },
      { description: 'must be an object with name and wallet' },
    ),
    'Who is paid, as documents show it.',
  ),
})
export type CreateInvoice = Static<typeof CreateInvoice>
