import { logIn, signUpUser } from '@pressel/contract/auth';
import { failure } from '@pressel/contract/errors';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { buildTestApp, PASSWORD } from './build-test-app.ts';
import { openTestDatabase } from './test-database.ts';

describe('when the database fails', () => {
  test('the caller is told no more than a request id, and the log holds it without what was sent', async () => {
    const database = await openTestDatabase();
    const t = await buildTestApp({ database });
    const ana = await t.signUp('Ana');
    const socket = await t.connect(ana.token);
    await database.db.execute(sql`alter table activities rename to hidden`);
    await database.db.execute(
      sql`alter table users add column surprise int not null default 1, add check (surprise = 1)`,
    );
    await database.db.execute(sql`alter table users alter column surprise drop default`);
    const replies = [
      await t.call(logIn, { user_email: ana.email, user_password: PASSWORD }),
      await t.call(signUpUser, {
        firstName: 'Geheim',
        lastName: 'Name',
        email: 'g@example.org',
        password: 'p',
        phone_number: '0612',
      }),
    ];
    await database.db.execute(sql`alter table hidden rename to activities`);
    await database.db.execute(sql`alter table users drop column surprise`);
    for (const { status, body } of replies) {
      expect(status).toBe(500);
      const refusal = failure.parse(body);
      expect(refusal.code).toBe('internal');
      expect(t.logLines.map((line) => line.reqId)).toContain(refusal.params.requestId);
      expect(JSON.stringify(body)).not.toMatch(/insert|select|relation|users/u);
    }
    const log = JSON.stringify(t.logLines);
    expect(log).toContain('call_failed');
    expect(log).toContain('insert into \\"users\\"');
    expect(log).toContain('auth.service.ts');
    expect(log).toContain('surprise');
    for (const secret of ['Geheim', 'g@example.org', '0612', '$argon2', ana.email, ana.id])
      expect(log).not.toContain(secret);
    socket.close();
    await t.close();
    await database.close();
  });
});
