const notInEmails = '\\s@<>",;\\u0000-\\u001f\\u007f-\\u009f'
const label = `[^${notInEmails}.]+`

export const emailLook = new RegExp(`^[^${notInEmails}]+@${label}(?:\\.${label})+$`)
