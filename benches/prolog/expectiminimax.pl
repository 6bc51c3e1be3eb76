% The Prolog baseline: exact expectiminimax with a table over the rules of a game.
%
%   swipl -O expectiminimax.pl -- GAME.pl ROLE      prints VALUE STATES
%
% GAME.pl holds the rules as clauses (made from GDL by benches/src/prolog.rs):
%   g_NAME/n      relations of the rules that depend on the state
%   s_NAME/n      relations that do not; listed by static_relation(Name, Arity) and turned into
%                 facts g_NAME/n before play, so that no rule of theirs is run twice
%   st(F), mv(R, M)   what is true of the state, and what the roles do: set here, read by rules
%
% A state is the sorted list of its facts. Its key in the table is a whole number with a bit for
% each fact ever met, which the clause index hashes; values are rationals, so nothing is rounded.
% The value is max over the asked role's moves, of min over the others', of the mean over the
% moves of random; 1 where goal(Role, 100) holds in a terminal state, else 0.

:- set_prolog_flag(prefer_rationals, true).
:- set_prolog_flag(stack_limit, 8_589_934_592).
:- dynamic st/1, mv/2, memo/2, bit/2, bits/1.

bits(0).

main :-
    current_prolog_flag(argv, [Game, Role]),
    load_files(Game, [silent(true)]),
    forall(static_relation(Name, Arity), materialise(Name, Arity)),
    findall(F, g_init(F), Facts),
    sort(Facts, State),
    value(State, Role, Value),
    predicate_property(memo(_, _), number_of_clauses(States)),
    Numerator is numerator(Value),
    Denominator is denominator(Value),
    format("~d/~d ~d~n", [Numerator, Denominator, States]).

materialise(Name, Arity) :-
    functor(Head, Name, Arity),
    Head =.. [_|Arguments],
    atom_concat(s_, Name, Rules),
    atom_concat(g_, Name, Facts),
    Goal =.. [Rules|Arguments],
    Fact =.. [Facts|Arguments],
    dynamic(Facts/Arity),
    findall(Fact, Goal, Answers0),
    sort(Answers0, Answers),
    forall(member(Answer, Answers), assertz(Answer)),
    compile_predicates([Facts/Arity]).

value(State, Role, Value) :-
    key(State, Key),
    (   memo(Key, Value0)
    ->  Value = Value0
    ;   enter(State),
        compute(Role, Value),
        assertz(memo(Key, Value))
    ).

compute(Role, Value) :-
    g_terminal,
    !,
    (   g_goal(Role, '100')
    ->  Value = 1
    ;   Value = 0
    ).
compute(Role, Value) :-
    children(Role, Children),
    max_of(Children, Role, 0, Value).

% Next states, by the asked role's move, the others' joint move and random's move. All are made
% before any is valued, since the facts of the state are overwritten below.
children(Role, Children) :-
    findall(R, (g_role(R), R \== Role, R \== random), Others),
    moves(Role, Own),
    joint(Others, Joints),
    (   g_role(random)
    ->  moves(random, Tosses)
    ;   Tosses = [none]
    ),
    findall(Replies,
            (   member(Move, Own),
                findall(Means,
                        (   member(Joint, Joints),
                            findall(Next,
                                    (   member(Toss, Tosses),
                                        step([Role-Move, random-Toss|Joint], Next)
                                    ),
                                    Means)
                        ),
                        Replies)
            ),
            Children).

moves(Role, Moves) :-
    findall(Move, g_legal(Role, Move), Moves0),
    sort(Moves0, Moves),
    Moves \== [].

joint([], [[]]).
joint([Role|Roles], Joints) :-
    moves(Role, Moves),
    joint(Roles, Rest),
    findall([Role-Move|Joint], (member(Move, Moves), member(Joint, Rest)), Joints).

step(Moves, Next) :-
    retractall(mv(_, _)),
    forall(member(Role-Move, Moves), assertz(mv(Role, Move))),
    findall(F, g_next(F), Facts),
    sort(Facts, Next).

% A win cannot be bettered, nor a loss worsened, so the rest is passed over.
max_of([], _, Value, Value).
max_of([Replies|Rest], Role, Best0, Value) :-
    min_of(Replies, Role, 1, Least),
    Best is max(Best0, Least),
    (   Best =:= 1
    ->  Value = Best
    ;   max_of(Rest, Role, Best, Value)
    ).

min_of([], _, Value, Value).
min_of([Nexts|Rest], Role, Least0, Value) :-
    sum_of(Nexts, Role, 0, Sum),
    length(Nexts, Count),
    Least is min(Least0, Sum / Count),
    (   Least =:= 0
    ->  Value = Least
    ;   min_of(Rest, Role, Least, Value)
    ).

sum_of([], _, Sum, Sum).
sum_of([Next|Rest], Role, Sum0, Sum) :-
    value(Next, Role, Value),
    Sum1 is Sum0 + Value,
    sum_of(Rest, Role, Sum1, Sum).

enter(State) :-
    retractall(st(_)),
    forall(member(Fact, State), assertz(st(Fact))).

key(State, Key) :-
    key(State, 0, Key).

key([], Key, Key).
key([Fact|Facts], Key0, Key) :-
    bit_of(Fact, Bit),
    Key1 is Key0 \/ Bit,
    key(Facts, Key1, Key).

bit_of(Fact, Bit) :-
    bit(Fact, Bit0),
    !,
    Bit = Bit0.
bit_of(Fact, Bit) :-
    retract(bits(Count)),
    Bit is 1 << Count,
    Next is Count + 1,
    assertz(bits(Next)),
    assertz(bit(Fact, Bit)).

:- initialization((catch(main, Error, (print_message(error, Error), halt(1))) -> halt(0) ; halt(1)),
                  main).
