import { logIn, signUpUser } from '@pressel/contract/auth';
import { searchMessages, sendMessage } from '@pressel/contract/chat';
import { failure } from '@pressel/contract/errors';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { buildTestApp, PASSWORD } from './build-test-app.ts';
import { enterRoom, makeTeam } from './factories.ts';
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
      expect(t.logLines.map((line) => line.requestId)).toContain(refusal.params.requestId);
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

  test('no word of a message is in the log, whether it was stored or not', async () => {
    const database = await openTestDatabase();
    const t = await buildTestApp({ database });
    const { ana, nord } = await makeTeam(t);
    const inside = await enterRoom(t, ana, 'Nord');
    const send = () => t.call(sendMessage, { channelId: nord, message: 'Rendez-vous secret' }, ana.token);
    expect((await send()).status).toBe(200);
    await database.db.execute(sql`alter table messages add check (text = '') not valid`);
    expect((await send()).status).toBe(500);
    expect(await inside.send('message', { message: 'Rendez-vous secret' })).toMatchObject({ code: 'internal' });
    await t.call(searchMessages, { channelId: nord, text: 'Rendez-vous secret' }, ana.token);
    await database.db.execute(sql`alter table messages drop constraint messages_text_check`);
    const log = JSON.stringify(t.logLines);
    expect(log).toContain('event_failed');
    expect(log).not.toMatch(/secret|Rendez/u);
    await t.close();
    await database.close();
  });
});
