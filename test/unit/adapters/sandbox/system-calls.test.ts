import { describe, expect, it } from 'vitest'
import { systemCallFilter } from '../../../../src/adapters/sandbox/system-calls.ts'

const X64 = 0xc000003e
const ARM64 = 0xc00000b7
const CLONE_NEWUSER = 0x10000000
const CLONE_THREAD = 0x10000

/** What the kernel makes of a filter: it runs the program over the call, as bpf(4) says. */
function verdict(filter: Uint8Array, [audit, number, argument]: readonly [number, number, number]): string {
  const view = new DataView(filter.buffer, filter.byteOffset, filter.byteLength)
  const call: Readonly<Record<number, number>> = { 0: number, 4: audit, 16: argument }
  let loaded = 0
  for (let at = 0; ; at += 8) {
    const figure = view.getUint32(at + 4, true)
    const jump = (isTrue: boolean): number => view.getUint8(at + (isTrue ? 2 : 3)) * 8
    const code = view.getUint16(at, true)
    if (code === 0x20) loaded = call[figure] ?? 0
    else if (code === 0x15) at += jump(loaded === figure)
    else if (code === 0x35) at += jump(loaded >= figure)
    else if (code === 0x45) at += jump((loaded & figure) !== 0)
    else return figure === 0x7fff0000 ? 'allow' : figure === 0x80000000 ? 'kill' : `errno ${figure & 0xffff}`
  }
}

describe('the filter of system calls', () => {
  it.each([
    ['x64', 'read', [X64, 0, 0], 'allow'],
    ['x64', 'mount', [X64, 165, 0], 'errno 1'],
    ['x64', 'unshare', [X64, 272, 0], 'errno 1'],
    ['x64', 'ptrace', [X64, 101, 0], 'errno 1'],
    ['x64', 'clone3', [X64, 435, 0], 'errno 38'],
    ['x64', 'memfd_create', [X64, 319, 0], 'errno 38'],
    ['x64', 'clone of a thread', [X64, 56, CLONE_THREAD], 'allow'],
    ['x64', 'clone with a user namespace', [X64, 56, CLONE_NEWUSER | CLONE_THREAD], 'errno 1'],
    ['x64', 'socket AF_UNIX', [X64, 41, 1], 'allow'],
    ['x64', 'socket AF_INET6', [X64, 41, 10], 'allow'],
    ['x64', 'socket AF_NETLINK', [X64, 41, 16], 'errno 97'],
    ['x64', 'socket AF_PACKET', [X64, 41, 17], 'errno 97'],
    ['x64', 'socketpair AF_UNIX', [X64, 53, 1], 'allow'],
    ['x64', 'socketpair AF_TIPC', [X64, 53, 30], 'errno 97'],
    ['x64', 'x32 unshare', [X64, 0x40000000 + 272, 0], 'errno 38'],
    ['x64', 'a call of 32-bit programs', [0x40000003, 26, 0], 'kill'],
    ['arm64', 'read', [ARM64, 63, 0], 'allow'],
    ['arm64', 'unshare', [ARM64, 97, 0], 'errno 1'],
    ['arm64', 'clone with a user namespace', [ARM64, 220, CLONE_NEWUSER], 'errno 1'],
    ['arm64', 'socket AF_PACKET', [ARM64, 198, 17], 'errno 97'],
    ['arm64', 'socket AF_INET', [ARM64, 198, 2], 'allow'],
    ['arm64', 'a call of x64', [X64, 0, 0], 'kill'],
  ] as const)('answers on %s the call %s', (machine, _call, given, expected) => {
    expect(verdict(systemCallFilter(machine)!, given)).toBe(expected)
  })

  it('is not made for a machine whose numbers are not known', () => {
    expect(systemCallFilter('riscv64')).toBeUndefined()
  })
})
