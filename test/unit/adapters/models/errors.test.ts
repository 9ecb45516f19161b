import { expect, test } from 'vitest'
import { errorOfEvent, toModelError } from '../../../../src/adapters/models/errors.ts'
import { sampleConfig } from '../../../support/model-request.ts'

const target = { access: sampleConfig({}), endpoint: 'http://localhost:1', advice: 'is it running?' }

test.each([
  ['overloaded_error', true],
  ['rate_limit_error', true],
  ['api_error', true],
  ['timeout_error', true],
  ['invalid_request_error', false],
  ['authentication_error', false],
])('an error of type %s inside a stream may be asked again: %s', (type, retryable) => {
  const error = toModelError(errorOfEvent({ type, message: 'Overloaded' }), target, true)
  expect(error.message).toMatch(/the provider reported: Overloaded$/)
  expect(error.retryable).toBe(retryable)
})
