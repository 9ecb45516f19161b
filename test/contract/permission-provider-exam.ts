import { describe, expect, test } from 'vitest'
import type { RoomName } from '../../src/words/entry.ts'
import { StorageError } from '../../src/words/errors.ts'
import type { Room } from '../../src/chat/room.ts'
import type { PermissionProvider, PermissionRequest } from '../../src/tools/context.ts'

/** A provider that can be brought to do what the exam asks for. */
export interface PermissionExaminee {
  readonly provider: PermissionProvider
  /** Something that it allows, in a room that is there. */
  readonly allowed: Omit<PermissionRequest, 'signal'>
  /** Something that it does not allow. */
  readonly denied: Omit<PermissionRequest, 'signal'>
}

/** Finds a room by its name, as `anyRoom` does. */
export type FindRoom = (name: RoomName) => Promise<Room | undefined>

/**
 * What every `PermissionProvider` must do; run with each of them. `open` makes one that finds rooms by what `find`
 * makes of the usual way.
 */
export function permissionProviderExam(
  name: string,
  open: (find: (usual: FindRoom) => FindRoom) => Promise<PermissionExaminee>,
): void {
  describe(`the permission provider ${name}`, () => {
    const usual = (find: FindRoom): FindRoom => find
    const signal = new AbortController().signal

    test('a permission provider allows an allowed request and denies another', async () => {
      const { provider, allowed, denied } = await open(usual)
      expect(await provider.request({ ...allowed, signal })).toBe('allow')
      expect(await provider.request({ ...denied, signal })).not.toBe('allow')
    })

    test('a permission provider gives the reason of a denial as one line without a full stop', async () => {
      const { provider, denied } = await open(usual)
      const verdict = await provider.request({ ...denied, signal })
      if (typeof verdict === 'object') expect(verdict.why).toMatch(/^[^\n]+[^.\s]$/)
      else expect(verdict).toBe('deny')
    })

    test('a permission provider decides each of several concurrent requests separately', async () => {
      const { provider, allowed, denied } = await open(usual)
      const asked = [denied, allowed, denied, allowed].map((one) => provider.request({ ...one, signal }))
      const verdicts = (await Promise.all(asked)).map((verdict) => verdict === 'allow')
      expect(verdicts).toEqual([false, true, false, true])
    })

    test('a permission provider allows read access', async () => {
      const { provider, denied } = await open(usual)
      expect(await provider.request({ ...denied, access: 'read', signal })).toBe('allow')
    })

    test('a permission provider denies an aborted request', async () => {
      const { provider, allowed } = await open(usual)
      expect(await provider.request({ ...allowed, signal: AbortSignal.abort() })).not.toBe('allow')
    })

    test('a permission provider denies a request in a missing room', async () => {
      const { provider, allowed } = await open(usual)
      expect(await provider.request({ ...allowed, room: 'nowhere' as RoomName, signal })).not.toBe('allow')
    })

    test('a permission provider denies a request if the storage fails, without throwing', async () => {
      const { provider, allowed } = await open(() => async () => {
        throw new StorageError('full', 'the disk is full')
      })
      expect(await provider.request({ ...allowed, signal })).not.toBe('allow')
    })
  })
}
